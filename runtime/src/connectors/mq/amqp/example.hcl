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
  publisher {
    exchange = "shop.events"
  }
  operation "price_of" {
    action = "request"
    queue  = "prices"
  }
}

flow "remember_order" {
  from {
    connector = "orders"
    operation = "order.#"
  }
  step "price" {
    connector = "orders"
    operation = "price_of"
    body      = { order = "input.body.order" }
    timeout   = "2s"
  }
  transform {
    order = "input.body.order"
    event = "input.routing_key"
    price = "step.price.price"
  }
  to {
    connector = "db"
    target    = "orders"
  }
  to {
    connector = "orders"
    target    = "'priced.' + string(input.body.order)"
    params = {
      headers  = { tenant = "input.headers.tenant" }
      priority = 5
    }
  }
}
