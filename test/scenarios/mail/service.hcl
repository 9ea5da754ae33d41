# Letters of flows over a server of mail: with a template, with files, to many.
service {
  name       = "mail"
  admin_port = env("ADMIN_PORT", "9090")

  shutdown {
    timeout = "20s"
  }
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "invoices" {
  type      = "file"
  base_path = "./invoices"
}

connector "mail" {
  type             = "email"
  driver           = "smtp"
  host             = "127.0.0.1"
  port             = env("SMTP_PORT", "1025")
  tls              = "none"
  from             = "Shop <shop@example.org>"
  template         = "./letters/order.html"
  attachments_from = [connector.invoices]
  timeout          = "20s"
}

flow "order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    to          = "input.email"
    subject     = "'Your order ' + string(input.id)"
    textBody    = "'Thank you, ' + input.customer"
    customer    = "input.customer"
    items       = "input.items"
    attachments = "[{'connector': 'invoices', 'path': string(input.id) + '.txt'}]"
  }
  to {
    connector = "mail"
    operation = "send"
  }
  response {
    refused = "output.result.recipients.filter(r, !r.success).map(r, r.email)"
  }
}

flow "news" {
  from {
    connector = "api"
    operation = "POST /news"
  }
  step "sent" {
    connector = "mail"
    operation = "send"
    params = {
      to      = "news@example.org"
      bcc     = "input.readers"
      subject = "News"
      text    = "input.text"
      html    = "<p>News</p>"
    }
  }
  response {
    count = "step.sent.result.recipients.filter(r, r.success).size()"
  }
}

# The message is that of the caller as it is.
flow "raw" {
  from {
    connector = "api"
    operation = "POST /raw"
  }
  to {
    connector = "mail"
    operation = "send"
  }
}

# A rental whose van cannot be held: the person hears of it.
saga "rent" {
  from {
    connector = "api"
    operation = "POST /rentals"
  }
  step "hold" {
    action {
      connector = "invoices"
      operation = "read"
      target    = "absent.txt"
    }
  }
  on_failure {
    connector = "mail"
    operation = "send"
    template  = "sorry.html"
    to        = "input.email"
    body      = { subject = "Your rental", template_data = { customer = "input.customer" } }
  }
}
