flow "search" {
  from {
    connector = "api"
    operation = "search"
  }

  response {
    shop    = "input.shop"
    limit   = "input.limit"
    is_int  = "type(input.limit) == int"
    doubled = "input.factor * 2"
    open    = "input.open ? 'open' : 'closed'"
    kind    = "input.kind"
    text    = "input.text"
    request = "input.request_id"
  }
}

flow "create" {
  from {
    connector = "api"
    operation = "create"
  }

  response {
    name = "input.name"
    code = "input.code"
    tags = "input.tags"
  }
}

flow "slow" {
  from {
    connector = "api"
    operation = "slow"
  }

  step "remote" {
    connector = "remote"
    operation = "GET /slow"
  }
}

flow "price" {
  from {
    connector = "api"
    operation = "GET /price"
  }

  step "price" {
    connector = "remote"
    operation = "price"
    body      = { sku = "input.sku" }
  }
}

flow "price_tolerant" {
  from {
    connector = "api"
    operation = "GET /price-tolerant"
  }

  step "price" {
    connector = "remote"
    operation = "price"
    body      = { sku = "input.sku" }
    on_error  = "default"
    default   = { amount = -1 }
  }
}

flow "price_to" {
  from {
    connector = "api"
    operation = "POST /price"
  }

  to {
    connector = "remote"
    operation = "price"
  }
}

flow "price_enriched" {
  from {
    connector = "api"
    operation = "GET /price-enriched"
  }

  enrich "price" {
    connector = "remote"
    operation = "price"
    params {
      sku = "input.sku"
    }
  }

  transform {
    amount = "enriched.price.amount"
  }
}

flow "page" {
  from {
    connector = "api"
    operation = "GET /page"
  }

  to {
    connector = "db"
    operation = "page"
  }
}

flow "page_step" {
  from {
    connector = "api"
    operation = "GET /page-step"
  }

  step "page" {
    connector = "db"
    operation = "page"
    params    = { limit = "input.limit ?? null", from = "input.from" }
  }

  transform {
    beyond = "step.page.beyond"
    from   = "input.from"
  }
}

flow "offer" {
  from {
    connector = "api"
    operation = "GET /offer"
  }

  step "offer" {
    connector = "remote"
    operation = "offer"
    params    = { sku = "input.sku", currency = "input.currency ?? null" }
  }
}

flow "double" {
  from {
    connector = "api"
    operation = "GET /double/:value"
  }

  to {
    connector = "db"
    operation = "double"
  }
}
