service {
  name       = "grpc"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT")
}

connector "rpc" {
  type       = "grpc"
  host       = "127.0.0.1"
  port       = env("GRPC_PORT")
  proto_path = "."
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
    connector = "rpc"
    operation = "greetings.Greetings/Greet"
  }
  response {
    greeting = "'Hello, ' + input.name"
    number   = "input.number"
  }
}
