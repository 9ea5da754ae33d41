# Every service that listens is notified of new orders, and their bills are written down here.
connector "bus" {
  type     = "mq"
  driver   = "redis"
  url      = env("REDIS_URL", "redis://localhost:6379")
  patterns = ["orders.*"]
}

connector "api" {
  type = "rest"
  port = 3000
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "bills.db"
}

flow "order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    id    = "input.id"
    total = "input.total"
  }
  to {
    connector = "bus"
    target    = "orders.new"
  }
}

flow "bill" {
  from {
    connector = "bus"
    operation = "orders.new"
  }
  transform {
    order_id = "input.id"
    total    = "input.total"
  }
  to {
    connector = "db"
    target    = "bills"
  }
}
