flow "order_changed" {
  from {
    connector = "shop"
    operation = "orders"
  }
  transform {
    order = "input.id"
    what  = "input.operation"
    at    = "input.timestamp"
  }
  to {
    connector = "shop"
    target    = "order_log"
  }
}

flow "log" {
  from {
    connector = "api"
    operation = "GET /log"
  }
  to {
    connector = "shop"
    target    = "order_log"
  }
}
