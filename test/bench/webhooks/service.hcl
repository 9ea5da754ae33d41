service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "payments" {
  type   = "webhook"
  mode   = "inbound"
  path   = "/hooks"
  secret = env("SECRET", "secret")
}

flow "ready" {
  from {
    connector = "api"
    operation = "GET /ready"
  }
  response {
    ok = "true"
  }
}

flow "take" {
  from {
    connector = "payments"
  }
  accept {
    when = "input.body.amount > 0"
  }
}
