flow "keep_order" {
  from {
    connector = "orders"
    operation = "#"
  }

  transform {
    customer    = "input.body.customer"
    item        = "input.body.item"
    received_at = "now()"
  }

  to {
    connector = "db"
    target    = "orders"
  }
}

flow "list_orders" {
  from {
    connector = "api"
    operation = "GET /orders"
  }

  to {
    connector = "db"
    operation = "all_orders"
  }

  response {
    orders = "output.items"
  }
}
