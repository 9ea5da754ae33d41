service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("BROKER_URL", "amqp://localhost")

  publisher {
    routing_key = env("QUEUE", "orders")
  }
}

flow "health" {
  from {
    connector = "api"
    operation = "GET /ready"
  }
  response {
    status = "'ready'"
  }
}

flow "send_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    id   = "input.id"
    name = "trim(input.name)"
  }
  to {
    connector = "orders"
  }
  response {
    sent = "true"
  }
}
