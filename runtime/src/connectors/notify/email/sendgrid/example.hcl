# A customer gets a letter whose text is a template at the provider.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "mail" {
  type    = "email"
  driver  = "sendgrid"
  api_key = env("SENDGRID_KEY", "key")
  from    = "Shop <shop@example.org>"
}

flow "welcome" {
  from {
    connector = "api"
    operation = "POST /customers"
  }
  transform {
    to            = "input.email"
    template_id   = "'d-1f0a'"
    template_data = "{'name': input.name}"
    tags          = "['welcome']"
  }
  to {
    connector = "mail"
    operation = "send"
  }
  response {
    message_id = "output.result.message_id"
  }
}
