test "an order is sent under its item" {
  flow  = "order"
  input = { item = "tea", count = 3 }
  mock "shop" {
    result = { message_id = "m-1" }
  }
  expect {
    output = { message_id = "m-1" }
    call "shop" {
      params = { headers = { source = "api" } }
    }
  }
}

test "an order is priced and kept" {
  flow  = "take_order"
  input = { body = { id = "o-1", item = "tea", count = 3 } }
  mock "shop" {
    result = { price = 5 }
  }
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

test "an order of nothing is turned away" {
  flow  = "take_order"
  input = { body = { id = "o-1", item = "tea", count = 0 } }
  expect {
    disposition = "reject"
  }
}
