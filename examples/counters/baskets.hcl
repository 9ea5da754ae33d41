flow "keep_basket" {
  from {
    connector = "api"
    operation = "PUT /baskets/:customer"
  }

  transform {
    customer = "input.customer"
    items    = "input.items"
  }

  to {
    connector = "counters"
    operation = "basket"
  }
}

flow "basket" {
  from {
    connector = "api"
    operation = "GET /baskets/:customer"
  }

  step "kept" {
    connector = "counters"
    operation = "basket"
    params    = { customer = "input.customer" }
    default   = null
  }

  response {
    http_status_code = "step.kept == null ? '404' : '200'"
    basket           = "step.kept"
  }
}
