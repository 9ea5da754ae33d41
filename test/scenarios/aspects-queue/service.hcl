service {
  name       = "aspects-queue"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "orders" {
  type            = "mq"
  driver          = "rabbitmq"
  url             = env("BROKER_URL", "amqp://localhost")
  reconnect_delay = "300ms"

  consumer {
    queue    = env("QUEUE", "orders.in")
    prefetch = 5
  }
}

connector "stock" {
  type     = "http"
  base_url = env("STOCK_URL", "http://localhost:4001")
}
