service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type         = "rest"
  port         = env("PORT", "3000")
  max_upload   = "2GB"
  read_timeout = "5m"
}

connector "store" {
  type      = "file"
  base_path = "files"
}

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
