# Prices come in any order. One that is older than what is there is dropped; the lock keeps two of them apart.
flow "set_price" {
  from {
    connector = "api"
    operation = "PUT /prices/:sku"
  }

  lock {
    key     = "'price:' + input.sku"
    timeout = "8s"
    retry   = "20ms"
  }

  sequence_guard {
    key      = "'price:' + input.sku"
    sequence = "input.revision"
    ttl      = "14d"

    storage {
      driver = "memory"
    }
  }

  transform {
    sku      = "input.sku"
    cents    = "int(input.cents)"
    revision = "int(input.revision)"
  }

  to {
    connector = "db"
    query     = "INSERT INTO prices (sku, cents, revision) VALUES (:sku, :cents, :revision) ON CONFLICT (sku) DO UPDATE SET cents = excluded.cents, revision = excluded.revision"
  }
}

flow "prices" {
  from {
    connector = "api"
    operation = "GET /prices"
  }

  to {
    connector = "db"
    query     = "SELECT sku, cents, revision FROM prices ORDER BY sku"
  }
}
