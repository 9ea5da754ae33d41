connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./payments.db"
}

# Payments of one account are handled in their order, those of others beside them.
connector "payments" {
  type    = "mq"
  driver  = "kafka"
  brokers = [env("BROKERS", "127.0.0.1:9092")]
  consumer {
    group_id          = "balances"
    topics            = [env("TOPIC", "payments")]
    create_if_missing = true
    workers           = 4
    max_wait_time     = "100ms"
    retry_count       = 1
  }
  producer {
    topic = env("TOPIC", "payments")
  }
}
