service {
  name       = "tcp"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT")
}

connector "messages" {
  type   = "tcp"
  driver = "server"
  host   = "127.0.0.1"
  port   = env("MESSAGES_PORT")
}

flow "ready" {
  from {
    connector = "api"
    operation = "GET /ready"
  }
  response {
    ready = "true"
  }
}

flow "greet" {
  from {
    connector = "messages"
    operation = "greet"
  }
  response {
    greeting = "'Hello, ' + input.name"
    number   = "input.number"
  }
}
