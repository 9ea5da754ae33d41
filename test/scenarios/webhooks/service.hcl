service {
  name       = "webhooks"
  version    = "1.0.0"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type    = "rest"
  port    = env("PORT", "3000")
  timeout = "10s"
}

# What happened at the payment provider, at the port of the API.
connector "payments" {
  type         = "webhook"
  mode         = "inbound"
  path         = "/hooks/payments"
  secret       = env("PAYMENTS_SECRET", "kept-secret")
  max_body     = "64KB"
  timeout      = "2s"
}

connector "deploys" {
  type            = "webhook"
  mode            = "receive"
  path            = "/hooks/deploys"
  allowed_ips     = ["192.0.2.0/24", "2001:db8::/32"]
  trusted_proxies = ["127.0.0.1"]
}

connector "refusals" {
  type = "webhook"
  mode = "inbound"
  path = "/hooks/refusals"
}

# Tells partners of orders; they check that with the same secret.
connector "partner" {
  type   = "webhook"
  url    = env("PARTNER_URL", "http://localhost:3000/hooks/payments")
  secret = env("PAYMENTS_SECRET", "kept-secret")

  retry {
    attempts = 3
    delay    = "50ms"
  }
}

connector "ledger" {
  type     = "http"
  base_url = env("LEDGER_URL", "http://localhost:8080")
}
