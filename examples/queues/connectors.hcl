connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./orders.db"
}

# Sends orders; the exchange is declared here.
connector "shop" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("BROKER_URL", "amqp://guest:guest@127.0.0.1:5672")
  exchange {
    name              = env("EXCHANGE", "example.orders")
    type              = "topic"
    auto_delete       = true
    create_if_missing = true
  }
  publisher {
    exchange  = env("EXCHANGE", "example.orders")
    mandatory = true
  }
  operation "price_of" {
    action  = "request"
    queue   = env("PRICES", "example.prices")
    timeout = "5s"
  }
  operation "given_up" {
    action = "get"
    queue  = env("GIVEN_UP", "example.orders.in.dlq")
  }
}

# Takes orders; what fails twice is a dead letter.
connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("BROKER_URL", "amqp://guest:guest@127.0.0.1:5672")
  exchange {
    name              = env("EXCHANGE", "example.orders")
    type              = "topic"
    auto_delete       = true
    routing_key       = "order.#"
    create_if_missing = true
  }
  consumer {
    queue             = env("ORDERS", "example.orders.in")
    create_if_missing = true
    workers           = 4
    dlq {
      max_retries = 1
      retry_delay = "1s"
    }
  }
}

# Answers what an item costs.
connector "prices" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("BROKER_URL", "amqp://guest:guest@127.0.0.1:5672")
  consumer {
    queue             = env("PRICES", "example.prices")
    create_if_missing = true
  }
}
