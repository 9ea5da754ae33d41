flow "product" {
  from {
    connector = "api"
    operation = "GET /products/:id"
  }

  cache {
    storage = "cache"
    ttl     = "30s"
    key     = "product:${input.id}"
  }

  step "product" {
    connector = "catalog"
    operation = "GET /products/:id"
    params    = { id = "input.id" }
  }

  # Only what callers need goes out.
  transform {
    id    = "input.id"
    name  = "step.product.name"
    price = "step.product.price"
  }
}
