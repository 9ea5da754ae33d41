# Prices as they change: who looks at one market gets those of that market alone.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "feed" {
  type = "sse"
  port = env("PORT", "3000")
  path = "/prices"
}

flow "publish_price" {
  from {
    connector = "api"
    operation = "POST /markets/:market/prices"
  }
  transform {
    symbol = "input.symbol"
    price  = "input.price"
  }
  to {
    connector = "feed"
    operation = "send_to_room"
    target    = "input.market"
  }
}
