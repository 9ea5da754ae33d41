# Where the messages come from. Until AMQP_URL names a broker, `mocks` in service.hcl stands in for it.
connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("AMQP_URL", "amqp://guest:guest@localhost:5672")

  consumer {
    queue    = "orders"
    prefetch = 10
  }
}

# Takes orders, and shows what was kept.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "orders.db")

  operation "all_orders" {
    query = "SELECT id, customer, item, received_at FROM orders ORDER BY id"
  }
}
