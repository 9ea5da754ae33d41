service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("BROKER_URL", "amqp://localhost")

  consumer {
    queue    = env("QUEUE", "orders")
    prefetch = 50
    workers  = 50
  }
}

connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://localhost:5432/bench")
}

flow "health" {
  from {
    connector = "api"
    operation = "GET /ready"
  }
  response {
    status = "'ready'"
  }
}

flow "add_order" {
  from {
    connector = "orders"
    operation = "#"
  }
  transform {
    id    = "input.body.id"
    name  = "trim(input.body.name)"
    email = "lower(input.body.email)"
    total = "input.body.price * double(input.body.count)"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
