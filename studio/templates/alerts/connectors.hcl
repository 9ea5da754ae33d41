connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# The channel of the people on duty.
connector "duty" {
  type        = "slack"
  webhook_url = env("CHAT_WEBHOOK", "https://hooks.slack.com/services/T000/B000/placeholder")
  username    = "Alerts"
  health      = "optional"

  batch { enabled = false }
}

# How the owner of a sensor is written to.
connector "mail" {
  type   = "email"
  driver = "smtp"
  host   = env("SMTP_HOST", "localhost")
  port   = env("SMTP_PORT", "2525")
  from   = env("MAIL_FROM", "alerts@example.test")
  health = "optional"

  tls { mode = env("SMTP_TLS", "starttls") }
}
