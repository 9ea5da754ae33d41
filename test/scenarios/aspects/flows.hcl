flow "get_item" {
  from {
    connector = "api"
    operation = "GET /items/:id"
  }

  to {
    connector = "db"
    target    = "items"
  }
}

flow "list_items" {
  from {
    connector = "api"
    operation = "GET /items"
  }

  to {
    connector = "db"
    query     = "SELECT * FROM items ORDER BY id"
  }
}

flow "create_item" {
  from {
    connector = "api"
    operation = "POST /items"
  }

  accept {
    when = "input.name != 'nothing'"
  }

  transform {
    name = "input.name"
  }

  to {
    connector = "db"
    target    = "items"
  }
}

flow "change_item" {
  from {
    connector = "api"
    operation = "PUT /items/:id"
  }

  to {
    connector = "db"
    target    = "items"
  }
}

# Also run by aspects.
flow "record" {
  from {
    connector = "api"
    operation = "POST /notes"
  }

  transform {
    kind = "input.kind"
    flow = "input.flow"
    text = "input.text"
  }

  to {
    connector = "db"
    target    = "notes"
  }
}

flow "list_notes" {
  from {
    connector = "api"
    operation = "GET /notes"
  }

  to {
    connector = "db"
    query     = "SELECT * FROM notes ORDER BY rowid"
  }
}

flow "ask_stock" {
  from {
    connector = "api"
    operation = "POST /stock"
  }

  to {
    connector = "stock"
    operation = "POST /reserve"
  }

  error_handling {
    retry {
      attempts = 2
      delay    = "10ms"
    }
  }
}

flow "ask_other" {
  from {
    connector = "api"
    operation = "POST /other"
  }

  to {
    connector = "stock"
    operation = "POST /other"
  }
}
