connector "messages" {
  type   = "mq"
  driver = "nats"
  url    = env("BROKER", "nats://localhost:4222")

  consumer {
    stream   = env("PLACE", "ledger")
    durable  = "ledger"
    prefetch = 50
    workers  = 10
  }
}
