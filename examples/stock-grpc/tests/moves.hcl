test "a move is recorded under the name of its article in capitals" {
  flow = "record_move"
  input = {
    sku    = "pears"
    amount = 12
  }
  mock "db" {
    result = { id = 1, sku = "PEARS", amount = 12 }
  }
  expect {
    output = {
      id     = 1
      sku    = "PEARS"
      amount = 12
    }
  }
}
