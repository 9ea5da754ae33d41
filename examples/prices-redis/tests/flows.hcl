test "a price is published to the channel of its item" {
  flow  = "change"
  input = { item = "tea", price = 4.5 }
  mock "prices" {
    result = { receivers = 2 }
  }
  expect {
    output = { receivers = 2 }
    call "prices" {
      times = 1
    }
  }
}

test "a price that is heard is kept" {
  flow  = "follow"
  input = { _channel = "prices.tea", item = "tea", price = 4.5 }
  mock "db" {
    result = []
  }
  expect {
    call "db" {
      times = 1
    }
  }
}
