flow "create_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    id       = "input.id"
    customer = "input.customer"
    total    = "input.total"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}

# The people on duty hear of an order that fails.
aspect "duty" {
  on   = ["create_order"]
  when = "on_error"

  action {
    connector = "duty"
    operation = "send"
    transform { text = "':rotating_light: Order ' + string(input.id) + ' of ' + input.customer + ' failed: ' + error.message" }
  }
}

aspect "partner" {
  on   = ["create_order"]
  when = "on_error"

  action {
    connector = "partner"
    operation = "send"
    transform {
      event_type = "'order.failed'"
      payload    = "{'id': input.id, 'customer': input.customer}"
    }
  }
}
