test "one order is fetched by the number in its path" {
  flow  = "fetch_order"
  input = { id = "7" }

  mock "db" {
    target = "orders"
    when   = "input.id == '7'"
    result = [{ id = 7, customer = "Ada", status = "open" }]
  }

  expect {
    status = 200
    output = { order = { id = 7, customer = "Ada", status = "open" } }
  }
}

test "an order that is not there is a 404" {
  flow  = "fetch_order"
  input = { id = "8" }

  expect {
    status = 404
    output = { order = null }
  }
}

test "orders are listed by their state, at most as many as asked for" {
  flow  = "list_orders"
  input = { status = "open", limit = 2 }

  mock "db" {
    operation = "orders_by_status"
    result    = [{ id = 2 }, { id = 1 }]
  }

  expect {
    output_has = { count = 2, orders = [{ id = cel("value > 1") }, { id = 1 }] }
    call "db" {
      operation = "orders_by_status"
      params    = { status = "open", limit = 2 }
    }
  }
}

test "without parameters twenty orders of any state are listed" {
  flow = "list_orders"

  expect {
    output = { orders = [], count = 0 }
    call "db" {
      params = { status = "any", limit = 20 }
    }
  }
}

test "an order is shipped" {
  flow  = "change_order"
  input = { id = "7", status = "shipped" }

  expect {
    status = 200
    output = { changed = true }
    call "db" {
      operation = "UPDATE"
      params    = { id = "7", status = "shipped" }
    }
  }
}

test "an unknown state is refused" {
  flow  = "change_order"
  input = { id = "7", status = "lost" }

  expect {
    status = 400
  }
}

test "an order that is gone cannot be deleted again" {
  flow  = "delete_order"
  input = { id = "7" }

  mock "db" {
    operation = "DELETE"
    result    = { affected = 0 }
  }

  expect {
    status = 404
    output = { deleted = false }
  }
}

test "an order is deleted" {
  flow  = "delete_order"
  input = { id = "7" }

  expect {
    status = 200
    call "db" {
      operation = "DELETE"
      params    = { id = cel("input.id") }
    }
  }
}
