# A shop announces orders in a channel of its community, and answers with the identifier of the message.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "community" {
  type        = "discord"
  webhook_url = env("DISCORD_WEBHOOK", "http://localhost:8090/api/webhooks/1/token")
  username    = "Shop"
}

flow "announce_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    content = "'Order ' + string(input.id) + ' for ' + input.customer"
  }
  to {
    connector = "community"
    operation = "send"
  }
  response {
    announced  = "output.result.success"
    message_id = "output.result.message_id"
  }
}
