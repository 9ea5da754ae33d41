test "each row of a file is an order" {
  flow  = "take_file"
  input = { name = "monday.csv" }

  mock "partner" {
    result = [
      { number = "7", customer = "ada", total = "12.50" },
      { number = "8", customer = "bob", total = "0.99" },
    ]
  }

  expect {
    call "db" {
      times = 2
    }
  }
}

test "a file of another folder is not moved" {
  flow  = "put_aside"
  input = { name = "../keys" }

  expect {
    status = 400
    call "partner" {
      times = 0
    }
  }
}
