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

# The partner that wants to know of each order that could not be taken.
connector "partner" {
  type   = "webhook"
  url    = env("PARTNER_URL", "https://partner.example/hooks/orders")
  secret = env("PARTNER_SECRET", "a-placeholder")
}
