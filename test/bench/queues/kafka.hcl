connector "orders" {
  type    = "mq"
  driver  = "kafka"
  brokers = [env("BROKERS", "localhost:9092")]

  consumer {
    group_id = env("TOPIC", "orders")
    topics   = [env("TOPIC", "orders")]
    offset   = "earliest"
    prefetch = 50
    workers  = 50
  }
}
