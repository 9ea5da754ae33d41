# Who may watch which market: the room of a stream is a market, and there are two of them.
flow "watch_market" {
  from {
    connector = "feed"
    operation = "join_room"
  }
  accept {
    when = "input.room in ['metals', 'grain']"
  }
  response {
    market = "input.room"
  }
}

# A price reaches those who watch its market, and of those the ones that did not ask for another currency.
flow "publish_price" {
  from {
    connector = "api"
    operation = "POST /markets/:market/prices"
  }
  validate {
    input = "price"
  }
  transform {
    symbol   = "input.symbol"
    price    = "input.price"
    currency = "input.currency"
  }
  to {
    connector = "feed"
    operation = "send_to_room"
    target    = "input.market"
    filter    = "!has(context.params.currency) || context.params.currency == input.currency"
  }
}

# Everybody hears that trading ends.
flow "close_trading" {
  from {
    connector = "api"
    operation = "POST /close"
  }
  transform {
    closed = "true"
  }
  to {
    connector = "feed"
    operation = "broadcast"
  }
}
