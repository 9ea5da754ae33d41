test "a new order is open, and its total is computed" {
  flow  = "create_order"
  clock = "2026-03-01T08:00:00Z"
  input = { customer = " Ada ", email = "ADA@example.org", item = "Engine", quantity = 3, unit_price = 2.5 }

  mock "db" {
    operation = "INSERT"
    result    = { id = 7 }
  }

  expect {
    status = 201
    output = { id = 7, href = "/orders/7" }

    call "db" {
      operation = "INSERT"
      target    = "orders"
      times     = 1
      params = {
        customer   = "Ada"
        email      = "ada@example.org"
        total      = 7.5
        status     = "open"
        created_at = "2026-03-01T08:00:00Z"
      }
    }
  }
}

test "an order without an email is taken" {
  flow  = "create_order"
  input = { customer = "Ada", item = "Engine", quantity = 1, unit_price = 1 }

  mock "db" {
    result = { id = 8 }
  }

  expect {
    status = 201
    call "db" {
      params = { email = "" }
    }
  }
}

test "an order of nothing is refused before the database is asked" {
  flow  = "create_order"
  input = { customer = "Ada", item = "Engine", quantity = 0, unit_price = 1 }

  expect {
    status = 400
    error  = "input_invalid"
    call "db" {
      times = 0
    }
  }
}

test "a database that is unavailable is the fault of the service" {
  flow  = "create_order"
  input = { customer = "Ada", item = "Engine", quantity = 1, unit_price = 1 }

  mock "db" {
    error = "connector_timeout"
  }

  expect {
    status = 500
    error  = "connector_timeout"
  }
}
