test "a payment goes to the topic with its account as key" {
  flow  = "pay"
  input = { account = "a-1", cents = 250 }
  mock "payments" {
    result = {}
  }
  expect {
    call "payments" {
      times  = 1
      params = { key = "a-1", headers = { source = "api" } }
    }
  }
}

test "a payment that comes twice is booked by its place" {
  flow  = "book"
  input = { body = { account = "a-1", cents = 250 }, partition = 2, offset = 7 }
  mock "db" {
    result = []
  }
  expect {
    disposition = "ack"
    call "db" {
      times  = 1
      params = { place = "2/7", account = "a-1", cents = 250 }
    }
  }
}

test "a payment of nothing becomes a dead letter" {
  flow  = "book"
  input = { body = { account = "a-1", cents = 0 }, partition = 2, offset = 7 }
  expect {
    disposition = "reject"
  }
}
