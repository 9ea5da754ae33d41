flow "add_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }

  lock {
    key = "input.number"
  }

  transform {
    number  = "input.number"
    version = "'0'"
  }

  to {
    connector = "db"
    target    = "orders"
  }
}

flow "get_order" {
  from {
    connector = "api"
    operation = "GET /orders/:number"
  }

  cache {
    storage = "recent"
    key     = "order:${input.number}"
  }

  step "order" {
    connector = "db"
    query     = "SELECT number, version FROM orders WHERE number = :number"
    params    = { number = "input.number" }
  }

  response {
    number = "input.number"
  }
}
