# The browser is sent to the provider. What begins here belongs to the person who is signed in.
flow "connect" {
  from {
    connector = "api"
    operation = "GET /connect"
  }
  step "begun" {
    connector = "company"
    operation = "authorize"
    params    = { binding = "auth.user_id" }
  }
  response {
    http_status_code = "302"
    headers {
      location      = "step.begun.auth_url"
      cache-control = "'no-store'"
    }
    provider = "'company'"
  }
}

# The provider sends it back. A link that another person began is refused, and so is one that was used.
flow "callback" {
  from {
    connector = "api"
    operation = "GET /callback"
  }
  step "account" {
    connector = "company"
    operation = "callback"
    params = {
      code              = "input.code ?? ''"
      state             = "input.state ?? ''"
      iss               = "input.iss ?? ''"
      error             = "input.error ?? ''"
      error_description = "input.error_description ?? ''"
      binding           = "auth.user_id"
    }
  }
  transform {
    person        = "auth.user_id"
    provider_id   = "step.account.provider_id"
    email         = "step.account.email"
    access_token  = "step.account.access_token"
    refresh_token = "step.account.refresh_token"
    expires_at    = "now_unix() + int(step.account.expires_in)"
  }
  to {
    connector = "db"
    target    = "connections"
    operation = "UPSERT"
    conflict  = ["person"]
  }
  response {
    http_status_code = "303"
    headers {
      location = "'/connection'"
    }
    connected = "true"
  }
}
