connector "deliveries" {
  type   = "mq"
  driver = "amqp_broker"
  url    = env("BROKER_URL", "amqp://localhost")

  consumer {
    queue = env("QUEUE", "svc-chaos")
  }
}

flow "add_delivery" {
  from {
    connector = "deliveries"
    operation = "#"
  }

  transform {
    number = "input.body.number"
  }

  to {
    connector = "db"
    target    = "deliveries"
  }
}
