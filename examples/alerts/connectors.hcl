connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "alerts.db")
}

# The channel of the people on duty.
connector "duty" {
  type        = "slack"
  webhook_url = env("CHAT_WEBHOOK", "https://hooks.slack.com/services/T000/B000/placeholder")
  username    = "Orders"

  batch { enabled = false }
}

# How customers are written to.
connector "mail" {
  type      = "email"
  driver    = "smtp"
  host      = env("SMTP_HOST", "localhost")
  port      = env("SMTP_PORT", "2525")
  from      = env("MAIL_FROM", "orders@shop.example")
  from_name = "The shop"
  template  = "./templates/failed.html"

  tls { mode = env("SMTP_TLS", "starttls") }
}

# The partner that wants to know of each order that could not be taken.
connector "partner" {
  type   = "webhook"
  url    = env("PARTNER_URL", "https://partner.example/hooks/orders")
  secret = env("PARTNER_SECRET", "a-placeholder")
}
