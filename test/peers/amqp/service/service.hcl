service {
  name       = "relay"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "orders" {
  type           = "mq"
  driver         = "amqp_broker"
  url            = env("BROKER", "amqp://localhost")
  max_reconnects = 1

  consumer {
    queue = "orders"
  }
}

flow "take" {
  from {
    connector = "orders"
  }

  transform {
    number = "input.body.number"
  }

  to {
    connector = "orders"
    target    = "done"
  }
}
