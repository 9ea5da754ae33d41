type "order_line" {
  sku      = string({ max_length = 40 })
  quantity = integer({ min = 1 })
}

type "order_request" {
  customer = string({ max_length = 100 })
  lines    = array({ items = "order_line", min_length = 1 })
}

type "order_view" {
  id       = integer
  customer = string
  count    = integer
}

flow "create_order" {
  from {
    connector = "orders"
    operation = "CreateOrder"
  }

  validate {
    input  = "order_request"
    output = "order_view"
  }

  step "saved" {
    connector = "db"
    query     = "INSERT INTO orders (customer, count, owner) VALUES (:customer, :count, :owner) RETURNING id, customer, count"
    params {
      customer = "input.customer"
      count    = "sum(input.lines.map(line, line.quantity))"
      owner    = "auth.user_id"
    }
  }

  response {
    id       = "step.saved.id"
    customer = "step.saved.customer"
    count    = "step.saved.count"
  }
}

flow "list_orders" {
  from {
    connector = "orders"
    operation = "ListOrders"
  }

  validate {
    output = "order_view"
  }

  to {
    connector = "db"
    query     = "SELECT id, customer, count FROM orders ORDER BY id"
  }
}
