# A payment is made once for each key, however often it is sent.
flow "pay" {
  from {
    connector = "api"
    operation = "POST /payments"
  }

  idempotency {
    storage = "remembered"
    key     = "input.headers['idempotency-key'] ?? ''"
    ttl     = "24h"
  }

  transform {
    customer = "input.customer"
    amount   = "input.amount"
    paid_at  = "now()"
  }

  to {
    connector = "db"
    target    = "payments"
  }

  response {
    http_status_code = "201"
    id               = "output.id"
  }
}

# Of an article, what changed is written: its title, its stock, or both.
flow "article" {
  from {
    connector = "api"
    operation = "POST /articles"
  }

  dedupe {
    cache = "remembered"
    key   = "input.sku"
    ttl   = "30d"

    facet "title" {
      fingerprint {
        title = "input.title"
      }
    }

    facet "stock" {
      fingerprint {
        stock = "input.stock"
      }
    }
  }

  to {
    connector = "db"
    target    = "titles"
    facet     = "title"

    transform {
      sku   = "input.sku"
      title = "input.title"
    }
  }

  to {
    connector = "db"
    target    = "stocks"
    facet     = "stock"

    transform {
      sku   = "input.sku"
      stock = "input.stock"
    }
  }
}

# The caller gets the id of a job at once.
flow "report" {
  from {
    connector = "api"
    operation = "POST /reports"
  }

  async {
    storage = "remembered"
    ttl     = "1h"
  }

  step "paid" {
    connector = "db"
    query     = "SELECT count(*) AS payments, sum(amount) AS total FROM payments WHERE customer = :customer"
    params    = { customer = "input.customer" }
  }

  response {
    customer = "input.customer"
    payments = "step.paid.payments"
    total    = "step.paid.total"
  }
}
