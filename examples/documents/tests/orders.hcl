test "an order and what it takes of the stock are one transaction" {
  flow  = "take_order"
  input = { customer = "Ada", total = 40, lines = [{ sku = "lamp", count = 2 }] }

  mock "shop" {
    operation = "INSERT"
    result    = { id = "65a0000000000000000000aa", affected = 1 }
  }
  mock "shop" {
    operation = "FIND"
    result    = [{ _id = "lamp" }]
  }

  expect {
    status = 200
    output = { id = "65a0000000000000000000aa" }

    call "shop" {
      operation = "UPDATE"
      times     = 1
      params    = { sku = "lamp", change = -2 }
    }
  }
}

test "orders are found from a total on" {
  flow  = "list_orders"
  input = { from = "10" }

  mock "shop" {
    operation = "orders_from"
    result    = [{ _id = "65a0000000000000000000aa", total = 40 }]
  }

  expect {
    status = 200
    output = [{ _id = "65a0000000000000000000aa", total = 40 }]
  }
}

test "a state that no order has is refused before the database is asked" {
  flow  = "sales"
  input = { state = "lost" }

  expect {
    status = 400
    error  = "parameters_invalid"
    call "shop" {
      times = 0
    }
  }
}

test "a change is written to the log" {
  flow  = "order_changed"
  input = { operation = "insert", collection = "orders", id = "a", timestamp = "2026-03-01T08:00:00Z" }

  expect {
    call "shop" {
      operation = "INSERT"
      target    = "order_log"
      params    = { order = "a", what = "insert", at = "2026-03-01T08:00:00Z" }
    }
  }
}
