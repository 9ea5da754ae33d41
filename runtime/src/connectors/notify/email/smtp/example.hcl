# A customer gets a letter for an order: its HTML is that of a template, and what a server refuses is answered.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "mail" {
  type   = "email"
  driver = "smtp"
  host   = env("SMTP_HOST", "localhost")
  port   = env("SMTP_PORT", "1025")
  tls    = env("SMTP_TLS", "none")
  from   = "Shop <shop@example.org>"
}

flow "confirm_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    to       = "input.email"
    subject  = "'Your order ' + string(input.id)"
    textBody = "'Thank you, ' + input.customer + '.'"
  }
  to {
    connector = "mail"
    operation = "send"
  }
  response {
    sent       = "output.result.success"
    recipients = "output.result.recipients"
  }
}
