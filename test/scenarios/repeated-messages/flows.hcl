dedupe "by_sku" {
  cache = "cache"
  key   = "input.body.sku"
  ttl   = "1h"

  fingerprint {
    price = "output.price"
  }
}

flow "price" {
  from {
    connector = "prices"
  }

  transform {
    sku   = "input.body.sku"
    price = "input.body.price"
  }

  dedupe {
    use = "dedupe.by_sku"
  }

  to {
    connector = "shop"
    target    = "/price"
  }
}

flow "pay" {
  from {
    connector = "api"
    operation = "POST /payments"
  }

  idempotency {
    storage = "cache"
    key     = "input.headers['idempotency-key'] ?? ''"
    ttl     = "1h"
    wait    = "5s"
  }

  to {
    connector = "shop"
    target    = "/pay"
  }

  response {
    http_status_code = "201"
    payment          = "output.id"
  }
}

flow "offer" {
  from {
    connector = "api"
    operation = "POST /offers"
  }

  dedupe {
    cache = "cache"
    key   = "input.sku"

    facet "price" {
      fingerprint {
        price = "input.price"
      }
    }

    facet "stock" {
      fingerprint {
        stock = "input.stock"
      }
    }
  }

  to {
    connector = "shop"
    target    = "/offer/price"
    facet     = "price"
  }

  to {
    connector = "shop"
    target    = "/offer/stock"
    facet     = "stock"
  }
}

flow "report" {
  from {
    connector = "api"
    operation = "POST /reports"
  }

  async {
    storage = "cache"
    ttl     = "1h"
  }

  to {
    connector = "shop"
    target    = "/report"
  }
}
