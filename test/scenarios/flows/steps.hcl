flow "steps" {
  from {
    connector = "api"
    operation = "GET /steps/:id"
  }

  step "item" {
    connector = "db"
    query     = "SELECT id, name, kind, price FROM items WHERE id = :id"
    params    = { id = "input.id" }
  }

  step "same_kind" {
    connector = "db"
    query     = "SELECT name FROM items WHERE kind = ? AND id <> ? ORDER BY id"
    params    = ["step.item.kind", "step.item.id"]
  }

  step "table" {
    connector = "db"
    target    = "items"
    params    = { id = "input.id" }
  }

  step "skipped" {
    connector = "db"
    query     = "SELECT 1 AS one"
    when      = "input.id == '99'"
    default   = { one = 0 }
  }

  transform {
    name     = "step.item.name"
    price    = "string(step.item.price) + ' ' + constants.currency"
    others   = "as_list(step.same_kind).map(other, other.name)"
    by_table = "step.table.name"
    skipped  = "step.skipped.one"
  }
}

flow "lists" {
  from {
    connector = "api"
    operation = "POST /lists"
  }

  step "found" {
    connector = "db"
    query     = "SELECT id FROM items WHERE id IN (:ids) ORDER BY id"
    params    = { ids = "input.ids" }
  }

  transform {
    found = "as_list(step.found).map(row, row.id)"
  }
}

flow "tolerant" {
  from {
    connector = "api"
    operation = "GET /tolerant"
  }

  step "skip" {
    connector = "db"
    query     = "SELECT nothing FROM nowhere"
    on_error  = "skip"
  }

  step "skip_default" {
    connector = "db"
    query     = "SELECT nothing FROM nowhere"
    on_error  = "skip"
    default   = { text = "skipped" }
  }

  step "default" {
    connector = "db"
    query     = "SELECT nothing FROM nowhere"
    on_error  = "default"
    default   = { text = "default" }
  }

  step "slow" {
    connector = "remote"
    operation = "GET /slow"
    timeout   = "100ms"
    on_error  = "default"
    default   = { text = "too slow" }
  }

  transform {
    skip         = "step.skip.text ?? 'empty'"
    has_skip     = "has(step.skip.text)"
    skip_default = "step.skip_default.text"
    default      = "step.default.text"
    slow         = "step.slow.text"
  }
}

flow "impatient" {
  from {
    connector = "api"
    operation = "GET /impatient"
  }

  step "slow" {
    connector = "remote"
    operation = "GET /slow"
    timeout   = "100ms"
  }
}

flow "strict" {
  from {
    connector = "api"
    operation = "GET /strict"
  }

  step "fails" {
    connector = "db"
    query     = "SELECT nothing FROM nowhere"
  }
}

# The last step is the answer.
flow "last_step" {
  from {
    connector = "api"
    operation = "GET /last-step"
  }

  step "one" {
    connector = "db"
    query     = "SELECT 1 AS one"
  }

  step "two" {
    connector = "db"
    query     = "SELECT name FROM items ORDER BY id LIMIT 2"
  }
}

flow "enriched" {
  from {
    connector = "api"
    operation = "GET /enriched/:id"
  }

  step "item" {
    connector = "db"
    query     = "SELECT name FROM items WHERE id = :id"
    params    = { id = "input.id" }
  }

  enrich "offer" {
    connector = "remote"
    operation = "GET /offers/:name"
    params {
      name = "step.item.name"
    }
    headers {
      X-Caller = "input.headers['x-caller'] ?? 'unknown'"
      X-Absent = "null"
    }
  }

  enrich "row" {
    connector = "db"
    operation = "items"
    params {
      id = "input.id"
    }
  }

  transform {
    use   = "transform.stamp"
    name  = "step.item.name"
    offer = "enriched.offer.amount"
    kind  = "enriched.row.kind"
    kept  = "output.source"
  }
}

transform "stamp" {
  source = "'stamped'"
  name   = "'overridden'"
}

# Rows that are read are shaped one by one.
flow "shaped_rows" {
  from {
    connector = "api"
    operation = "GET /shaped"
  }

  to {
    connector = "db"
    target    = "items"
  }

  transform {
    label = "upper(input.name)"
    price = "input.price * 2"
    for   = "input.tag ?? 'unknown'"
  }
}
