# A shop reads the profiles of people at the large web provider.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "mail" {
  type          = "oauth"
  driver        = "web_idp"
  client_id     = env("WEB_CLIENT_ID", "shop")
  client_secret = env("WEB_CLIENT_SECRET", "secret")
  redirect_uri  = env("REDIRECT_URI", "http://localhost:3000/mail/callback")
}

flow "connect" {
  from {
    connector = "api"
    operation = "GET /mail/connect"
  }
  to {
    connector = "mail"
    operation = "authorize"
  }
  response {
    http_status_code = "302"
    headers {
      location = "output.auth_url"
    }
  }
}

flow "connected" {
  from {
    connector = "api"
    operation = "GET /mail/callback"
  }
  to {
    connector = "mail"
    operation = "callback"
  }
  response {
    provider_id = "output.provider_id"
    email       = "output.email"
  }
}

flow "refresh" {
  from {
    connector = "api"
    operation = "POST /mail/refresh"
  }
  step "tokens" {
    connector = "mail"
    operation = "refresh"
    params    = { refresh_token = "input.refresh_token" }
  }
}
