# Every night by the clock of Madrid, and whenever a client asks.
flow "count_carts" {
  from {
    connector = "api"
    operation = "POST /totals"
  }

  when {
    schedule = "30 2 * * *"
    timezone = "Europe/Madrid"
    storage  = "db"
  }

  step "now" {
    connector = "db"
    query     = "SELECT count(*) AS carts, coalesce(sum(items), 0) AS items FROM carts"
  }

  transform {
    counted_at = "string(now())"
    carts      = "step.now.carts"
    items      = "step.now.items"
  }

  to {
    connector = "db"
    target    = "totals"
  }
}

flow "list_totals" {
  from {
    connector = "api"
    operation = "GET /totals"
  }

  to {
    connector = "db"
    query     = "SELECT carts, items FROM totals"
  }
}
