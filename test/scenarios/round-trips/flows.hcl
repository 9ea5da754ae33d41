lock "article" {
  key     = "'${env("PREFIX", "round-trips")}:' + input.sku"
  timeout = "30s"

  storage {
    driver = "redis"
    url    = env("REDIS_URL", "redis://localhost:6379")
  }
}

sequence_guard "article" {
  key      = "'${env("PREFIX", "round-trips")}:' + input.sku"
  sequence = "input.revision"
  ttl      = "1m"

  storage {
    driver = "redis"
    url    = env("REDIS_URL", "redis://localhost:6379")
  }
}

flow "guarded" {
  from {
    connector = "api"
    operation = "PUT /guarded/:sku"
  }

  lock {
    use = lock.article
  }

  sequence_guard {
    use = sequence_guard.article
  }

  to {
    connector = "db"
    query     = "INSERT INTO stock (sku, quantity, revision) VALUES (:sku, :quantity, :revision)"
  }
}

flow "deduplicated" {
  from {
    connector = "api"
    operation = "PUT /deduplicated/:sku"
  }

  lock {
    use = lock.article
  }

  sequence_guard {
    use = sequence_guard.article
  }

  transform {
    sku      = "input.sku"
    quantity = "input.quantity"
    revision = "input.revision"
  }

  dedupe {
    cache = "memory"
    key   = "input.sku"
    ttl   = "1m"

    fingerprint {
      quantity = "output.quantity"
    }
  }

  to {
    connector = "db"
    operation = "INSERT"
    target    = "stock"
  }
}
