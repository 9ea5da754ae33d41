# The hook after_register runs it for each new account.
flow "welcome" {
  transform {
    email = "input.auth.email"
    name  = "input.auth.email.split('@')[0]"
    since = "now()"
  }

  to {
    connector = "db"
    target    = "profiles"
  }
}

# For every account that is signed in.
flow "profile" {
  from {
    connector = "api"
    operation = "GET /profile"
  }

  require {}

  step "profile" {
    connector = "db"
    query     = "SELECT name, since FROM profiles WHERE email = :email"
    params    = { email = "auth.email" }
  }

  response {
    hello = "step.profile.name"
    since = "step.profile.since"
    roles = "auth.roles"
  }
}

# For administrators: svc users roles EMAIL --role admin
flow "list_profiles" {
  from {
    connector = "api"
    operation = "GET /profiles"
  }

  require {
    roles = ["admin"]
  }

  to {
    connector = "db"
    query     = "SELECT email, name, since FROM profiles ORDER BY email LIMIT 100"
  }
}
