test "a task is kept without the blanks around its title" {
  flow  = "create_task"
  input = { title = " Write the first flow " }
  clock = "2026-03-01T08:00:00Z"

  mock "db" {
    operation = "INSERT"
    result    = { id = 7 }
  }

  expect {
    status = 201
    output = { id = 7 }
    call "db" {
      times  = 1
      params = { title = "Write the first flow", created_at = "2026-03-01T08:00:00Z" }
    }
  }
}

test "a task without a title is refused" {
  flow  = "create_task"
  input = { title = "" }

  expect {
    status = 400
    error  = "input_invalid"
    call "db" {
      times = 0
    }
  }
}
