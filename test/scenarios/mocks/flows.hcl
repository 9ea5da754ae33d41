flow "find_order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }

  to {
    connector = "db"
    target    = "orders"
  }
}

flow "create_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }

  to {
    connector = "db"
    target    = "orders"
  }
}

flow "rate" {
  from {
    connector = "api"
    operation = "GET /rates/:currency"
  }

  cache {
    storage = "shared"
    key     = "rate:${input.currency}"
  }

  step "rate" {
    connector = "bank"
    operation = "GET /rates/:currency"
    params    = { currency = "input.currency" }
  }

  response {
    rate = "step.rate.value ?? 0"
  }
}
