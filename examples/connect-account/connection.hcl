# Whose account is connected. Tokens leave the service to the provider alone.
flow "connection" {
  from {
    connector = "api"
    operation = "GET /connection"
  }
  step "kept" {
    connector = "db"
    query     = "SELECT provider_id, email, expires_at FROM connections WHERE person = :person"
    params    = { person = "auth.user_id" }
  }
}

# The profile as the provider gives it now.
flow "profile" {
  from {
    connector = "api"
    operation = "GET /profile"
  }
  step "kept" {
    connector = "db"
    query     = "SELECT provider_id, access_token FROM connections WHERE person = :person"
    params    = { person = "auth.user_id" }
  }
  step "profile" {
    connector = "company"
    operation = "userinfo"
    params = {
      access_token = "step.kept.access_token ?? ''"
      provider_id  = "step.kept.provider_id ?? ''"
    }
  }
}

# A refresh token may be good once: one at a time uses that of a person, and keeps the one that it is given.
flow "renew" {
  from {
    connector = "api"
    operation = "POST /renew"
  }
  lock {
    key     = "'renew:' + auth.user_id"
    timeout = "30s"
  }
  step "kept" {
    connector = "db"
    query     = "SELECT provider_id, refresh_token FROM connections WHERE person = :person"
    params    = { person = "auth.user_id" }
  }
  step "tokens" {
    connector = "company"
    operation = "refresh"
    params = {
      refresh_token = "step.kept.refresh_token ?? ''"
      provider_id   = "step.kept.provider_id ?? ''"
    }
  }
  transform {
    person        = "auth.user_id"
    access_token  = "step.tokens.access_token"
    refresh_token = "step.tokens.refresh_token"
    expires_at    = "now_unix() + int(step.tokens.expires_in)"
  }
  to {
    connector = "db"
    query     = "UPDATE connections SET access_token = :access_token, refresh_token = :refresh_token, expires_at = :expires_at WHERE person = :person"
  }
  response {
    expires_in = "step.tokens.expires_in"
  }
}
