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
      x-nothing     = "null"
    }
    to = "'company'"
  }
}

flow "callback" {
  from {
    connector = "api"
    operation = "GET /callback"
  }
  step "account" {
    connector = "company"
    operation = "callback"
    params = {
      code    = "input.code ?? ''"
      state   = "input.state ?? ''"
      iss     = "input.iss ?? ''"
      error   = "input.error ?? ''"
      binding = "auth.user_id"
    }
  }
}

flow "profile" {
  from {
    connector = "api"
    operation = "POST /profile"
  }
  step "profile" {
    connector = "company"
    operation = "userinfo"
    params    = { access_token = "input.access_token" }
  }
}

flow "renew" {
  from {
    connector = "api"
    operation = "POST /renew"
  }
  to {
    connector = "company"
    operation = "refresh"
  }
}

# The short form: the message gives the parameters.
flow "plain_connect" {
  from {
    connector = "api"
    operation = "GET /plain/connect"
  }
  to {
    connector = "plain"
    operation = "authorize"
  }
}

flow "plain_callback" {
  from {
    connector = "api"
    operation = "GET /plain/callback"
  }
  to {
    connector = "plain"
    target    = "callback"
  }
}

flow "plain_posted" {
  from {
    connector = "api"
    operation = "POST /plain/callback"
  }
  to {
    connector = "plain"
    operation = "callback"
  }
}

# A header of an answer cannot end it.
flow "redirect" {
  from {
    connector = "api"
    operation = "GET /redirect"
  }
  response {
    http_status_code = "302"
    headers {
      location = "input.to"
    }
    ok = "true"
  }
}
