connector "messages" {
  type    = "mq"
  driver  = "kafka"
  brokers = [env("BROKER", "127.0.0.1:9092")]

  consumer {
    group_id = env("PLACE", "ledger")
    topics   = [env("PLACE", "ledger")]
  }
}
