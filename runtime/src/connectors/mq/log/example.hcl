connector "orders" {
  type            = "mq"
  driver          = "kafka"
  brokers         = ["127.0.0.1:9092"]
  client_id       = "order-service"
  reconnect_delay = "2s"
  max_reconnects  = 100
  consumer {
    group_id = "order-service"
    topics   = ["orders"]
    offset   = "earliest"
    workers  = 4
    dlq {
      max_retries = 5
    }
  }
  producer {
    topic       = "invoices"
    compression = "zstd"
  }
  sasl {
    mechanism = "SCRAM-SHA-256"
    username  = "app"
    password  = env("BROKER_PASSWORD", "app")
  }
  operation "audit" {
    queue = "audit"
  }
}

flow "make_invoice" {
  from {
    connector = "orders"
    operation = "orders"
  }
  step "audit" {
    connector = "orders"
    operation = "audit"
    body      = { order = "input.body.order" }
  }
  transform {
    order  = "input.body.order"
    amount = "input.body.amount"
  }
  to {
    connector = "orders"
    params = {
      key     = "input.key"
      headers = { source = "input.topic" }
    }
  }
}
