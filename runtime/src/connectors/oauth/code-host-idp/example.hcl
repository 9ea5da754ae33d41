# A tool connects accounts at the code host.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "code" {
  type          = "oauth"
  driver        = "code_host_idp"
  client_id     = env("CODE_CLIENT_ID", "tool")
  client_secret = env("CODE_CLIENT_SECRET", "secret")
  redirect_uri  = env("REDIRECT_URI", "http://localhost:3000/code/callback")
  scopes        = ["read:user", "user:email"]
}

flow "connect" {
  from {
    connector = "api"
    operation = "GET /code/connect"
  }
  to {
    connector = "code"
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
    operation = "GET /code/callback"
  }
  to {
    connector = "code"
    operation = "callback"
  }
  response {
    provider_id = "output.provider_id"
    email       = "output.email"
  }
}
