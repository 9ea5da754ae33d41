flow "order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    id    = "uuid()"
    item  = "input.item"
    count = "int(input.count)"
  }
  to {
    connector = "shop"
    target    = "'order.' + input.item"
    params = {
      message_id = "output.id"
      headers    = { source = "api" }
    }
  }
}

flow "take_order" {
  from {
    connector = "orders"
  }
  accept {
    when      = "input.body.count > 0"
    on_reject = "reject"
  }
  step "price" {
    connector = "shop"
    operation = "price_of"
    body      = { item = "input.body.item" }
  }
  transform {
    id    = "input.body.id"
    item  = "input.body.item"
    total = "step.price.price * input.body.count"
  }
  to {
    connector = "db"
    target    = "orders"
    operation = "UPSERT"
    conflict  = ["id"]
  }
}

flow "answer_price" {
  from {
    connector = "prices"
  }
  transform {
    price = "input.body.item == 'tea' ? 5 : 7"
  }
  to {
    connector = "prices"
    target    = "input.properties.reply_to"
    params    = { correlation_id = "input.properties.correlation_id" }
  }
}

flow "orders" {
  from {
    connector = "api"
    operation = "GET /orders"
  }
  to {
    connector = "db"
    query     = "SELECT item, total FROM orders ORDER BY item"
  }
}

flow "given_up" {
  from {
    connector = "api"
    operation = "POST /given-up"
  }
  step "letter" {
    connector = "shop"
    operation = "given_up"
  }
  response {
    letter = "step.letter"
  }
}
