# The body goes to the store while it comes.
flow "upload" {
  from {
    connector = "api"
    operation = "PUT /files/:name"
    format    = "binary"
  }

  step "stored" {
    connector = "store"
    operation = "write"
    params = {
      path    = "input.name"
      content = "input.body"
    }
  }

  response {
    bytes = "step.stored.written"
  }
}

# The same by a destination.
flow "receive" {
  from {
    connector = "api"
    operation = "POST /received"
    format    = "binary"
  }

  transform {
    _binary = "input.body"
  }

  to {
    connector = "store"
    operation = "write"
    target    = "received.bin"
  }
}

# Whose size an expression reads: it is kept until it is whole.
flow "measure" {
  from {
    connector = "api"
    operation = "PUT /measured/:name"
    format    = "binary"
  }

  step "stored" {
    connector = "store"
    operation = "write"
    params = {
      path    = "input.name"
      content = "input.body"
    }
  }

  response {
    bytes = "step.stored.written"
    size  = "input.body.size"
  }
}

flow "form" {
  from {
    connector = "api"
    operation = "POST /form"
  }

  step "stored" {
    connector = "store"
    operation = "write"
    params = {
      path    = "input.files.doc.filename"
      content = "input.files.doc"
    }
  }

  response {
    bytes = "step.stored.written"
  }
}

# Nothing is taken of a body that is refused.
flow "guarded" {
  from {
    connector = "api"
    operation = "PUT /guarded/:name"
    format    = "binary"
  }

  accept {
    when = "input.name == 'good'"
  }

  step "stored" {
    connector = "store"
    operation = "write"
    params = {
      path    = "input.name"
      content = "input.body"
    }
  }

  response {
    bytes = "step.stored.written"
  }
}

flow "download" {
  from {
    connector = "api"
    operation = "GET /files/:name"
  }

  step "file" {
    connector = "store"
    operation = "download"
    params    = { path = "input.name" }
  }

  response {
    _binary = "step.file"
  }
}

# From one store to another.
flow "archive" {
  from {
    connector = "api"
    operation = "POST /archive/:name"
  }

  step "file" {
    connector = "store"
    operation = "download"
    params    = { path = "input.name" }
  }

  step "archived" {
    connector = "archive"
    operation = "write"
    params = {
      path    = "input.name"
      content = "step.file"
    }
  }

  response {
    bytes = "step.archived.written"
  }
}

# The answer of a peer goes to the store while it comes.
flow "fetch" {
  from {
    connector = "api"
    operation = "POST /fetch"
  }

  step "file" {
    connector = "peer"
    operation = "GET /big"
    params    = { kind = "string(input.kind)" }
  }

  step "stored" {
    connector = "store"
    operation = "write"
    params = {
      path    = "fetched.bin"
      content = "step.file"
    }
  }

  response {
    bytes = "step.stored.written"
  }
}

# A file of the store is the body of a request.
flow "send" {
  from {
    connector = "api"
    operation = "POST /send/:name"
  }

  step "file" {
    connector = "store"
    operation = "download"
    params    = { path = "input.name" }
  }

  step "sent" {
    connector = "peer"
    operation = "PUT /store"
    body      = { _binary = "step.file" }
  }

  response {
    stored = "step.sent.stored"
    type   = "step.sent.type"
  }
}

# What no expression can read.
flow "read" {
  from {
    connector = "api"
    operation = "GET /read/:name"
  }

  step "file" {
    connector = "store"
    operation = "download"
    params    = { path = "input.name" }
  }

  response {
    data = "step.file.data"
  }
}
