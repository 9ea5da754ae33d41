# A customer is notified by a text message when an order is ready.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "texts" {
  type      = "sms"
  driver    = "sns"
  region    = env("AWS_REGION", "eu-central-1")
  sender_id = "SHOP"
}

flow "order_ready" {
  from {
    connector = "api"
    operation = "POST /orders/:id/ready"
  }
  transform {
    to   = "input.phone"
    body = "'Your order ' + input.id + ' is ready'"
  }
  to {
    connector = "texts"
    operation = "send"
  }
}
