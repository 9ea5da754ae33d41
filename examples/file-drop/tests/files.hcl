test "each row of a file is an order, and the file is moved after them" {
  flow  = "take_file"
  input = { name = "monday.csv" }
  clock = "2026-03-02T08:00:00Z"

  mock "partner" {
    operation = "orders"
    result = [
      { number = "7", customer = "ada", total = "12.50" },
      { number = "8", customer = "bob", total = "0.99" },
    ]
  }

  expect {
    output_has = { processed = 2, failed = 0 }
    call "db" {
      times = 2
    }
    call "partner" {
      operation = "move"
      params    = { source = "orders/monday.csv", destination = "done/1772438400-monday.csv" }
      times     = 1
    }
  }
}

test "a file with a row that is not an order stays where it is" {
  flow  = "take_file"
  input = { name = "monday.csv" }

  mock "partner" {
    operation = "orders"
    result    = [{ number = "7", customer = "ada", total = "a lot" }]
  }

  expect {
    status = 500
    call "db" {
      times = 0
    }
    call "partner" {
      operation = "move"
      times     = 0
    }
  }
}

test "a file stays where it is while the database cannot be written" {
  flow  = "take_file"
  input = { name = "monday.csv" }

  mock "partner" {
    operation = "orders"
    result    = [{ number = "7", customer = "ada", total = "12.50" }]
  }
  mock "db" {
    error = "store_unavailable"
  }

  expect {
    status = 503
    call "partner" {
      operation = "move"
      times     = 0
    }
  }
}

test "rows stay when the file cannot be moved" {
  flow  = "take_file"
  input = { name = "monday.csv" }

  mock "partner" {
    operation = "orders"
    result    = [{ number = "7", customer = "ada", total = "12.50" }]
  }
  mock "partner" {
    operation = "move"
    error     = "connector_refused"
  }

  expect {
    status     = 200
    output_has = { processed = 1 }
  }
}

test "a file of another folder is not moved" {
  flow  = "put_aside"
  input = { name = "../keys", time = 1 }

  expect {
    status = 400
    call "partner" {
      times = 0
    }
  }
}

test "files are listed by name and size" {
  flow = "list_files"

  mock "partner" {
    result = [{ name = "monday.csv", path = "orders/monday.csv", size = 53, is_dir = false }]
  }

  expect {
    output = { files = [{ name = "monday.csv", size = 53 }] }
  }
}

test "the orders of a customer are confirmed by a file" {
  flow  = "confirm"
  input = { customer = "ada" }

  mock "db" {
    result = [{ number = "7", cents = 1250 }, { number = "9", cents = 100 }]
  }
  mock "partner" {
    result = { path = "confirmations/ada.csv" }
  }

  expect {
    output = { file = "confirmations/ada.csv" }
    call "partner" {
      operation = "write"
      params    = { path = "confirmations/ada.csv", content = [{ number = "7", cents = 1250 }, { number = "9", cents = 100 }] }
      times     = 1
    }
  }
}

test "a confirmation in another folder is refused" {
  flow  = "confirm"
  input = { customer = "../ada" }

  expect {
    status = 400
    call "partner" {
      times = 0
    }
  }
}
