flow "reserve" {
  from {
    connector = "orders"
    operation = "order.#"

    filter {
      condition   = "input.body.kind != 'draft'"
      on_reject   = "requeue"
      id_field    = "string(input.body.n)"
      max_requeue = 2
    }
  }

  transform {
    n   = "input.body.n"
    key = "input.routing_key"
  }

  to {
    connector = "stock"
    target    = "/reserve"
  }
}

flow "settle" {
  from {
    connector = "orders"
    operation = "settle"
  }

  transform {
    n = "input.body.n"
  }

  to {
    connector = "stock"
    target    = "/settle"
  }

  error_handling {
    on_error {
      action = "ack"
    }
  }
}

flow "ask" {
  from {
    connector = "api"
    operation = "GET /stock/:id"
  }

  step "stock" {
    connector = "stock"
    operation = "GET /stock"
  }
}
