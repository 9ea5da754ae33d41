connector "deliveries" {
  type   = "mq"
  driver = "amqp_broker"
  url    = env("BROKER_URL", "amqp://localhost")

  consumer {
    queue = env("QUEUE", "svc-chaos")
  }

  publisher {
    confirms  = true
    mandatory = true
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

# The caller is answered when the broker has confirmed the message.
flow "announce_delivery" {
  from {
    connector = "api"
    operation = "POST /announcements"
  }

  transform {
    number = "input.number"
  }

  to {
    connector = "deliveries"
    target    = env("QUEUE", "svc-chaos")
  }
}
