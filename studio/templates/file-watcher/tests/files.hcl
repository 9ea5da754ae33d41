test "a file becomes a reading" {
  flow  = "take_file"
  input = { sensor = "kitchen", fahrenheit = 50, _name = "kitchen.json" }

  expect {
    call "db" {
      target = "readings"
      times  = 1
      params = { sensor = "kitchen", celsius = 10, file = "kitchen.json" }
    }
  }
}

test "a name that leads elsewhere is refused" {
  flow  = "put_file"
  input = { name = "../kitchen", sensor = "kitchen", fahrenheit = 50 }

  expect {
    status = 400
    call "inbox" {
      times = 0
    }
  }
}
