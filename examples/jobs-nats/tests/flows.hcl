test "a job is published under its kind" {
  flow  = "add"
  input = { kind = "shout", text = "tea" }
  mock "jobs" {
    result = { sequence = 1 }
  }
  expect {
    call "jobs" {
      times = 1
    }
  }
}

test "a job is done and acknowledged" {
  flow  = "shout"
  input = { body = { id = "j-1", text = "tea" } }
  mock "db" {
    result = []
  }
  expect {
    disposition = "ack"
    call "db" {
      times = 1
    }
  }
}
