# Without a transform, what is asked or deleted carries query parameters and body.
flow "read" {
  from {
    connector = "api"
    operation = "GET /read/:id"
  }

  to {
    connector = "peer"
    operation = "GET /items/:id"
  }
}

flow "delete" {
  from {
    connector = "api"
    operation = "DELETE /delete/:id"
  }

  to {
    connector = "peer"
    operation = "DELETE /items/:id"
  }
}

# With one, its fields.
flow "read_built" {
  from {
    connector = "api"
    operation = "GET /read-built/:id"
  }

  transform {
    tenant = "'acme'"
    page   = "int(input.page) + 1"
  }

  to {
    connector = "peer"
    operation = "GET /items/:id"
  }
}

flow "delete_built" {
  from {
    connector = "api"
    operation = "DELETE /delete-built/:id"
  }

  transform {
    reason = "input.why"
  }

  to {
    connector = "peer"
    operation = "DELETE /items/:id"
  }
}

flow "computed" {
  from {
    connector = "api"
    operation = "DELETE /computed/:id"
  }

  to {
    connector = "peer"
    operation = "DELETE"
    target    = "'/rows/' + input.id"
  }
}

flow "step" {
  from {
    connector = "api"
    operation = "DELETE /step/:id"
  }

  step "gone" {
    connector = "peer"
    operation = "DELETE /items/:id"
    params    = { id = "input.id" }
    body      = { reason = "input.why" }
  }
}

flow "placed" {
  from {
    connector = "api"
    operation = "GET /placed/:id"
  }

  step "found" {
    connector = "peer"
    operation = "find"
    params    = { id = "input.id", x_tenant = "acme", note = "n", page = 2 }
  }
}

flow "created" {
  from {
    connector = "api"
    operation = "POST /created"
  }

  to {
    connector = "peer"
    operation = "POST /items"
  }
}

flow "counted" {
  from {
    connector = "api"
    operation = "POST /counted"
  }

  response {
    rows = "size(input.rows)"
  }
}

flow "exported" {
  from {
    connector = "api"
    operation = "POST /exported"
    format    = "csv"
  }

  response {
    name = "input.name"
  }
}

# Data that looks like bytes is data; bytes whose type comes from data are saved, not shown.
flow "echo" {
  from {
    connector = "api"
    operation = "POST /echo"
  }

  to {
    connector = "peer"
    operation = "POST /echo"
  }
}

flow "download" {
  from {
    connector = "api"
    operation = "POST /download"
  }

  response {
    _binary       = "input.content"
    _content_type = "input.type"
  }
}
