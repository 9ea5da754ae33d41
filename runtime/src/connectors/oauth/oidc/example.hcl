# A shop lets people who are signed in connect their account at a company, and asks for their profile.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
  auth {
    type   = "jwt"
    secret = env("JWT_SECRET", "a secret of at least 32 characters")
  }
}

connector "shared" {
  type   = "cache"
  driver = "redis"
  url    = env("REDIS_URL", "redis://localhost:6379")
}

connector "company" {
  type          = "oauth"
  driver        = "oidc"
  issuer        = env("COMPANY_ISSUER", "https://id.example.test")
  client_id     = "shop"
  client_secret = env("COMPANY_SECRET", "secret")
  redirect_uri  = env("REDIRECT_URI", "http://localhost:3000/accounts/callback")
  scopes        = ["openid", "email", "profile", "offline_access"]
  storage       = "shared"
}

# The browser is sent to the company.
flow "connect" {
  from {
    connector = "api"
    operation = "GET /accounts/connect"
  }
  require {}
  step "begun" {
    connector = "company"
    operation = "authorize"
    params    = { binding = "auth.user_id" }
  }
  response {
    http_status_code = "302"
    headers {
      location = "step.begun.auth_url"
    }
  }
}

# It comes back here: with the same person signed in, or not at all.
flow "connected" {
  from {
    connector = "api"
    operation = "GET /accounts/callback"
  }
  step "account" {
    connector = "company"
    operation = "callback"
    params = {
      code    = "input.code"
      state   = "input.state"
      binding = "auth.user_id"
    }
  }
  response {
    provider_id = "step.account.provider_id"
    email       = "step.account.email"
  }
}

flow "profile" {
  from {
    connector = "api"
    operation = "POST /accounts/profile"
  }
  step "profile" {
    connector = "company"
    operation = "userinfo"
    params    = { access_token = "input.access_token" }
  }
}
