flow "check_item" {
  from {
    connector = "api"
    operation = "POST /checked/items"
  }

  validate {
    input = "item"
  }

  response {
    name = "input.name"
  }
}

flow "show_item" {
  from {
    connector = "api"
    operation = "GET /checked/items/:id"
  }

  validate {
    output = "shown_item"
  }

  to {
    connector = "db"
    query     = "SELECT id, name, price FROM items WHERE id = :id"
  }
}

flow "offer" {
  from {
    connector = "api"
    operation = "POST /checked/offers"
  }

  transform {
    id    = "7"
    name  = "input.name"
    price = "input.price"
  }

  validate {
    output = "shown_item"
  }
}

# Writes what the type declares, and no other column.
flow "create_item" {
  from {
    connector = "api"
    operation = "POST /items"
  }

  validate {
    input = "new_item"
  }

  to {
    connector = "db"
    target    = "items"
  }

  response {
    http_status_code = "201"
    id               = "output.id"
  }
}

flow "change_item" {
  from {
    connector = "api"
    operation = "PATCH /items/:id"
  }

  to {
    connector = "db"
    target    = "items"
  }
}

flow "fetch_item" {
  from {
    connector = "api"
    operation = "GET /items/:id"
  }

  to {
    connector = "db"
    target    = "items"
  }

  response {
    http_status_code = "size(output.items) == 0 ? '404' : '200'"
    item             = "first(output.items)"
  }
}

flow "status" {
  from {
    connector = "api"
    operation = "GET /status/:code"
  }

  response {
    http_status_code = "input.code"
    code             = "input.code"
  }
}
