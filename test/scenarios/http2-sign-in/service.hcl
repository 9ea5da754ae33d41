service {
  name       = "multiplexed_sign_in"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type     = "rest"
  port     = env("PORT")
  http2    = true
  max_body = "100KB"
}

auth {
  preset = "development"

  jwt {
    secret = "the secret of this scenario, 32 bytes and more"
  }
  password {
    memory     = 19456
    iterations = 1
  }
}

flow "profile" {
  from {
    connector = connector.api
    operation = "GET /profile"
  }
  require {}
  response {
    email = "auth.email"
  }
}

flow "orders" {
  from {
    connector = connector.api
    operation = "GET /orders"
  }
  require {
    roles = ["admin"]
  }
  response {
    orders = "[]"
  }
}

flow "files" {
  from {
    connector = connector.api
    operation = "POST /files"
  }
  require {}
  response {
    by   = "auth.email"
    size = "input.file.size"
  }
}
