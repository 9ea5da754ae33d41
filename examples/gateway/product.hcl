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

  enrich "price" {
    connector = "prices"
    operation = "GET /prices/:sku"
    params {
      sku = "step.product.sku"
    }
  }

  transform {
    id       = "input.id"
    name     = "step.product.name"
    price    = "enriched.price.amount"
    currency = "enriched.price.currency ?? 'EUR'"
  }
}
