test "an order is saved for its owner" {
  flow  = "create_order"
  input = { customer = "ada", lines = [{ sku = "a", quantity = 2 }, { sku = "b", quantity = 3 }] }

  mock "db" {
    result = [{ id = 7, customer = "ada", count = 5 }]
  }

  expect {
    output = { id = 7, customer = "ada", count = 5 }
  }
}

test "an order without lines is refused" {
  flow  = "create_order"
  input = { customer = "ada", lines = [] }

  expect {
    error = "input_invalid"
  }
}

test "an order by HTTP is sent to the partner" {
  flow  = "order_by_http"
  input = { customer = "ada", lines = [{ sku = "a", quantity = 2 }] }

  mock "partner" {
    operation = "CreateOrder"
    result    = { id = "7", customer = "ada", count = "2" }
  }

  expect {
    call "partner" {
      operation = "CreateOrder"
      times     = 1
      params    = { customer = "ada", lines = [{ sku = "a", quantity = 2 }] }
    }
  }
}
