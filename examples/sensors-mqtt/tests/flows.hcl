test "what a sensor measures is kept for its room" {
  flow  = "measure"
  input = { room = "hall", celsius = 19.5 }
  mock "db" {
    result = []
  }
  expect {
    call "db" {
      times = 1
    }
  }
}

test "a temperature is published, and kept by the broker" {
  flow  = "set"
  input = { room = "hall", celsius = 21 }
  mock "sensors" {
    result = { topic = "house/hall/temperature", qos = 1, retain = true }
  }
  expect {
    call "sensors" {
      times  = 1
      params = { retain = true }
    }
  }
}
