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
