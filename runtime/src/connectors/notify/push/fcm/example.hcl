# The devices of a customer are notified when an order is on its way; those that are gone are answered.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "apps" {
  type                 = "push"
  driver               = "fcm"
  service_account_json = env("FIREBASE_KEY", "./keys/firebase.json")
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
