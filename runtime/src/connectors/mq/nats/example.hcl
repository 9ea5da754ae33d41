# Bills for orders: a message is acknowledged after its bill is written. The price is asked of another program.
connector "orders" {
  type   = "mq"
  driver = "nats"
  url    = env("NATS_URL", "nats://localhost:4222")
  consumer {
    stream            = "ORDERS"
    durable           = "billing"
    create_if_missing = true
    subjects          = ["orders.>"]
    workers           = 4
    order_by          = "subject"
    dlq {
      max_retries = 5
      subject     = "dead.orders"
    }
  }
  publisher {
    confirms = true
  }
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "bills.db"
}

flow "bill" {
  from {
    connector = "orders"
    operation = "orders.new"
  }
  step "price" {
    connector = "orders"
    operation = "REQUEST"
    target    = "prices.find"
    body      = { article = "input.body.article" }
    timeout   = "2s"
  }
  transform {
    order_id = "input.body.id"
    total    = "step.price.total"
  }
  to {
    connector = "db"
    target    = "bills"
  }
  to {
    connector = "orders"
    target    = "orders.billed"
    params    = { message_id = "'billed-' + string(input.body.id)" }
  }
}
