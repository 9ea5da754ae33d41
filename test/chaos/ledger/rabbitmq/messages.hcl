connector "messages" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("BROKER", "amqp://localhost")

  consumer {
    queue    = env("PLACE", "ledger")
    prefetch = 50
    workers  = 10
  }
}
