# A shop connects calendars, whose provider speaks OAuth 2.0 alone.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "calendar" {
  type          = "oauth"
  driver        = "custom"
  name          = "calendar"
  auth_url      = "https://calendar.example.test/oauth/authorize"
  token_url     = "https://calendar.example.test/oauth/token"
  userinfo_url  = "https://calendar.example.test/api/me"
  client_id     = env("CALENDAR_CLIENT_ID", "shop")
  client_secret = env("CALENDAR_SECRET", "secret")
  redirect_uri  = env("REDIRECT_URI", "http://localhost:3000/calendar/callback")
  scopes        = ["events"]
}

flow "connect" {
  from {
    connector = "api"
    operation = "GET /calendar/connect"
  }
  to {
    connector = "calendar"
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
    operation = "GET /calendar/callback"
  }
  to {
    connector = "calendar"
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
    operation = "POST /calendar/refresh"
  }
  step "tokens" {
    connector = "calendar"
    operation = "refresh"
    params    = { refresh_token = "input.refresh_token" }
  }
}
