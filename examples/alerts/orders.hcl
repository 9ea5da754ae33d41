flow "create_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    id       = "input.id"
    customer = "input.customer"
    total    = "input.total"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}

# The people on duty hear of an order that fails.
aspect "duty" {
  on   = ["create_order"]
  when = "on_error"

  action {
    connector = "duty"
    operation = "send"
    transform { text = "':rotating_light: Order ' + string(input.id) + ' of ' + input.customer + ' failed: ' + error.message" }
  }
}

# So does the customer, by mail.
aspect "customer" {
  on   = ["create_order"]
  when = "on_error"
  if   = "has(input.email)"

  action {
    connector = "mail"
    operation = "send"
    to        = "input.email"
    template  = "failed.html"
    transform {
      subject       = "'Your order ' + string(input.id)"
      text          = "'We could not take your order, ' + input.customer + '.'"
      template_data = "{'id': input.id, 'customer': input.customer}"
    }
  }
}

aspect "partner" {
  on   = ["create_order"]
  when = "on_error"

  action {
    connector = "partner"
    operation = "send"
    transform {
      event_type = "'order.failed'"
      payload    = "{'id': input.id, 'customer': input.customer}"
    }
  }
}

# People write to those on duty themselves.
flow "call_duty" {
  from {
    connector = "api"
    operation = "POST /calls"
  }
  transform {
    text = "':telephone_receiver: ' + input.who + ': ' + input.what"
  }
  to {
    connector = "duty"
    operation = "send"
  }
  response {
    called = "output.result.success"
  }
}
