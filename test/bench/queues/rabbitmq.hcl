connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("BROKER_URL", "amqp://localhost")

  consumer {
    queue    = env("QUEUE", "orders")
    prefetch = 50
    workers  = 50
  }
}
