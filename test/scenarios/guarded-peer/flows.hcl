flow "prices" {
  from {
    connector = "api"
    operation = "GET /prices"
  }
  step "prices" {
    connector = "shop"
    operation = "prices"
  }
  response {
    n = "step.prices.n"
  }
}

flow "order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  to {
    connector = "shop"
    operation = "POST"
    target    = "/orders"
  }
}
