service {
  name       = "identity-providers"
  version    = "1.0.0"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  port = env("PORT")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE")
}

auth {
  preset   = "standard"
  base_url = "https://library.example.test"

  jwt {
    secret = "the secret of this scenario, 32 bytes and more"
  }
  password {
    memory      = 19456
    iterations  = 1
    parallelism = 1
  }
  users {
    connector = connector.db
    fields {
      roles               = "roles"
      password_changed_at = "password_changed_at"
    }
  }
  security {
    brute_force {
      max_attempts = 50
      fail_delay   = "100ms"
    }
  }
  oidc "company" {
    issuer        = env("COMPANY_ISSUER")
    client_id     = "app"
    client_secret = "secret of app"
  }
  oidc "other" {
    issuer        = env("OTHER_ISSUER")
    client_id     = "app"
    client_secret = "secret of app"
  }
}

flow "profile" {
  from {
    connector = connector.api
    operation = "GET /profile"
  }
  require {}
  response {
    email = "auth.email"
  }
}
