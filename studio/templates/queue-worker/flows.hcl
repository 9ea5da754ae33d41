# An order that is handed in goes into the queue.
flow "hand_in" {
  from {
    connector = "api"
    operation = "POST /orders"
  }

  to {
    connector = "orders"
    target    = "orders"
  }

  response {
    http_status_code = "202"
  }
}

# The worker: each message of the queue becomes a row.
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
