# The devices of a customer are notified when an order is on its way; those that are gone are answered.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "apps" {
  type        = "push"
  driver      = "apns"
  team_id     = env("APPLE_TEAM", "TEAM123456")
  key_id      = env("APPLE_KEY_ID", "KEY1234567")
  private_key = env("APPLE_KEY", "./keys/apns.p8")
  bundle_id   = "org.example.shop"
}

flow "order_shipped" {
  from {
    connector = "api"
    operation = "POST /orders/:id/shipped"
  }
  transform {
    tokens = "input.devices"
    title  = "'Order ' + input.id"
    body   = "'is on its way'"
  }
  to {
    connector = "apps"
    operation = "send"
  }
  response {
    gone = "has(output.result.failed_tokens) ? output.result.failed_tokens : []"
  }
}
