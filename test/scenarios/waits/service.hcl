service {
  name       = "waits"
  admin_port = env("ADMIN_PORT", "9090")

  shutdown {
    timeout = "40s"
  }
}

connector "orders" {
  type            = "mq"
  driver          = "rabbitmq"
  url             = env("BROKER_URL", "amqp://localhost")
  reconnect_delay = "300ms"

  consumer {
    queue    = env("QUEUE", "orders.in")
    prefetch = 10
    workers  = 10
  }
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "stock" {
  type     = "http"
  base_url = env("STOCK_URL", "http://localhost:4001")
}
