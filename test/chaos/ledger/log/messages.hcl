connector "messages" {
  type    = "mq"
  driver  = "kafka"
  brokers = [env("BROKER", "127.0.0.1:9092")]

  consumer {
    group_id        = "ledger"
    topics          = [env("PLACE", "ledger")]
    prefetch        = 50
    workers         = 10
    session_timeout = "2s"
  }
}
