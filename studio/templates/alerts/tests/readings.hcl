test "a reading that is too high is an alert" {
  flow  = "take_reading"
  input = { sensor = "kitchen", celsius = 31.5 }

  expect {
    call "duty" {
      operation = "send"
      times     = 1
      params    = { text = ":fire: kitchen has 31.5 degrees" }
    }
    call "mail" {
      times = 0
    }
  }
}

test "its owner is written to" {
  flow  = "take_reading"
  input = { sensor = "kitchen", celsius = 31.5, owner = "ana@example.test" }

  expect {
    call "mail" {
      operation = "send"
      times     = 1
    }
  }
}

test "a reading as usual is not an alert" {
  flow  = "take_reading"
  input = { sensor = "kitchen", celsius = 21 }

  expect {
    dropped = "accept"
    call "duty" {
      times = 0
    }
  }
}
