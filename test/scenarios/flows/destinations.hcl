flow "both" {
  from {
    connector = "api"
    operation = "POST /both"
  }

  transform {
    name = "trim(input.name)"
  }

  to {
    connector = "db"
    target    = "items"
  }

  to {
    connector = "audit"
    target    = "events"

    transform {
      item = "output.name"
      kind = "'created'"
    }
  }

  to {
    connector = "audit"
    target    = "strict_events"
    when      = "input.strict ?? false"

    transform {
      item = "output.name"
    }
  }
}

flow "required" {
  from {
    connector = "api"
    operation = "POST /required"
  }

  to {
    connector = "audit"
    target    = "strict_events"
    required  = true

    transform {
      item = "input.name"
    }
  }

  to {
    connector = "db"
    target    = "items"
    parallel  = false

    transform {
      name  = "input.name"
      price = "input.price"
    }
  }
}

flow "one_condition" {
  from {
    connector = "api"
    operation = "POST /conditional"
  }

  to {
    connector = "audit"
    target    = "events"
    when      = "output.item != ''"

    transform {
      item = "output.item"
      kind = "'conditional'"
    }
  }

  transform {
    item = "input.item ?? ''"
  }
}

flow "events" {
  from {
    connector = "api"
    operation = "GET /events"
  }

  to {
    connector = "audit"
    query     = "SELECT item, kind FROM events ORDER BY id"
  }
}

flow "proxied" {
  from {
    connector = "api"
    operation = "POST /proxied/:id"
  }

  transform {
    name = "input.name"
  }

  to {
    connector = "remote"
    operation = "POST /things"
    envelope  = "thing"
    headers {
      X-Id = "input.id"
    }
  }

  response {
    http_status_code = "202"
    remote           = "output.ok"
  }
}
