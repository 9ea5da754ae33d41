service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

flow "hello" {
  from {
    connector = "api"
    operation = "GET /hello"
  }
  response {
    message = "'hello'"
    ok      = "true"
  }
}
