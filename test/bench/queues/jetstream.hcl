connector "orders" {
  type   = "mq"
  driver = "nats"
  url    = env("NATS_URL", "nats://localhost:4222")

  consumer {
    stream   = env("STREAM", "orders")
    durable  = env("STREAM", "orders")
    prefetch = 50
    workers  = 50
  }
}
