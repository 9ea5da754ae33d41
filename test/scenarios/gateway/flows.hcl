flow "product" {
  from {
    connector = "api"
    operation = "GET /products/:id"
  }

  step "product" {
    connector = "catalog"
    operation = "product"
    params    = { id = "input.id", lang = "input.lang ?? null" }
  }
}

flow "anything" {
  from {
    connector = "api"
    operation = "GET /anything"
  }

  step "answer" {
    connector = "catalog"
    target    = "input.path"
    operation = "GET"
  }
}

flow "tagged" {
  from {
    connector = "api"
    operation = "POST /tagged"
  }

  step "answer" {
    connector = "catalog"
    operation = "GET /tagged"
    headers   = { "X-Tag" = "input.tag", "X-Team" = "input.team ?? null" }
  }
}

flow "order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }

  to {
    connector = "catalog"
    operation = "POST /orders"
    headers   = { "Idempotency-Key" = "input.headers['idempotency-key'] ?? null" }
  }

  response {
    http_status_code = "201"
    number           = "output.number"
  }
}

flow "replace" {
  from {
    connector = "api"
    operation = "PUT /orders/:id"
  }

  to {
    connector = "catalog"
    operation = "PUT /orders/:id"
  }
}

flow "brief" {
  from {
    connector = "api"
    operation = "GET /brief"
  }

  step "answer" {
    connector = "catalog"
    operation = "brief"
  }
}

flow "account" {
  from {
    connector = "api"
    operation = "GET /account"
  }

  step "account" {
    connector = "protected"
    operation = "GET /account"
  }
}

flow "price" {
  from {
    connector = "api"
    operation = "GET /prices/:sku"
  }

  step "price" {
    connector = "prices"
    operation = "GET /prices/:sku"
    params    = { sku = "input.sku" }
  }
}

flow "set_price" {
  from {
    connector = "api"
    operation = "PUT /prices/:sku"
  }

  to {
    connector = "prices"
    operation = "PUT /prices/:sku"
  }
}
