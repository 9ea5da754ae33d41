# A customer is notified by a text message when an order is ready.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "texts" {
  type        = "sms"
  driver      = "twilio"
  account_sid = env("TWILIO_ACCOUNT", "AC0")
  auth_token  = env("TWILIO_TOKEN", "token")
  from        = "+15005550006"
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
