# A team reads of orders in its channel: those of ten seconds as one message.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "team" {
  type    = "slack"
  token   = env("SLACK_TOKEN", "xoxb-token")
  channel = "#orders"

  batch {
    window  = "10s"
    summary = "string(count) + ' new orders:' + messages.map(m, '\\n• ' + m.text).join('')"
  }
}

flow "order_placed" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    text = "'Order ' + string(input.id) + ' of ' + input.customer"
  }
  to {
    connector = "team"
    operation = "send"
  }
  response {
    sent = "output.result.success"
  }
}
