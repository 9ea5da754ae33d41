connector "orders" {
  type            = "mq"
  driver          = "rabbitmq"
  host            = "127.0.0.1"
  username        = "app"
  password        = env("BROKER_PASSWORD", "app")
  vhost           = "shop"
  connection_name = "order-service"
  reconnect_delay = "2s"
  max_reconnects  = 100
  consumer {
    queue    = "orders.in"
    prefetch = 20
    workers  = 4
  }
}

flow "remember_order" {
  from {
    connector = "orders"
    operation = "order.#"
  }
  transform {
    order = "input.body.order"
    event = "input.routing_key"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
