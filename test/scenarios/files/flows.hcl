# What is known about a file costs no look into it.
flow "describe" {
  from {
    connector = "api"
    operation = "POST /describe"
  }

  response {
    filename = "input.files.doc.filename"
    type     = "input.files.doc.content_type"
    size     = "input.files.doc.size"
  }
}

flow "raw" {
  from {
    connector = "api"
    operation = "POST /raw"
    format    = "binary"
  }

  step "stored" {
    connector = "peer"
    operation = "PUT /store"
    body      = { _binary = "input.body" }
  }

  response {
    size   = "input.body.size"
    stored = "step.stored.stored"
    type   = "step.stored.type"
  }
}

flow "look" {
  from {
    connector = "api"
    operation = "POST /look"
  }

  response {
    data = "input.files.doc.data"
    file = "input.files.doc"
  }
}

flow "echo" {
  from {
    connector = "api"
    operation = "POST /echo"
  }

  response {
    _binary       = "input.files.doc"
    _content_type = "'application/octet-stream'"
  }
}

flow "forward" {
  from {
    connector = "api"
    operation = "POST /forward"
  }

  step "stored" {
    connector = "peer"
    operation = "PUT /store"
    body      = { _binary = "input.files.doc" }
  }

  response {
    stored = "step.stored.stored"
    type   = "step.stored.type"
  }
}

flow "write" {
  from {
    connector = "api"
    operation = "POST /write"
  }

  transform {
    _binary       = "input.files.doc"
    _content_type = "'image/png'"
  }

  to {
    connector = "peer"
    operation = "PUT /store"
  }
}

# A field of the message that has the name makes no bytes.
flow "pass" {
  from {
    connector = "api"
    operation = "POST /pass"
  }

  to {
    connector = "peer"
    operation = "PUT /store"
  }
}

flow "download" {
  from {
    connector = "api"
    operation = "GET /download"
  }

  step "file" {
    connector = "peer"
    operation = "GET /big"
    params    = { kind = "string(input.kind)" }
  }

  response {
    _binary       = "step.file"
    _content_type = "'application/octet-stream'"
    _filename     = "step.file.filename"
  }
}

flow "described" {
  from {
    connector = "api"
    operation = "GET /described"
  }

  step "file" {
    connector = "peer"
    operation = "GET /big"
    params    = { kind = "string(input.kind)" }
  }

  response {
    file = "step.file"
    size = "step.file.size"
  }
}

flow "later" {
  from {
    connector = "api"
    operation = "POST /later"
  }

  async {
    storage = "jobs"
  }

  step "stored" {
    connector = "peer"
    operation = "PUT /store"
    body      = { _binary = "input.files.doc" }
  }

  response {
    stored = "step.stored.stored"
  }
}
