service {
  name       = "sign-in"
  version    = "1.0.0"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  port = env("PORT")
}

connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL")
}

connector "mailer" {
  type     = "http"
  base_url = env("MAILER_URL")
}

auth {
  preset   = "standard"
  base_url = "https://shop.example.test"

  jwt {
    secret = env("JWT_SECRET")
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
      fail_delay = "200ms"
    }
  }
  mfa {
    totp {
      issuer = "Shop"
      skew   = 2
    }
  }
  storage {
    driver = "redis"
    url    = env("REDIS_URL")
  }
  audit {
    connector = connector.db
  }
  hooks {
    on_password_reset {
      flow = flow.send_reset_link
    }
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
    roles = "auth.roles"
  }
}

flow "orders" {
  from {
    connector = connector.api
    operation = "GET /orders"
  }
  require {
    roles = ["admin"]
  }
  response {
    orders = "[]"
  }
}

flow "pay" {
  from {
    connector = connector.api
    operation = "POST /pay"
  }
  require {
    mfa = "1h"
  }
  response {
    paid = "true"
  }
}

flow "send_reset_link" {
  transform {
    to    = "input.auth.email"
    token = "input.auth.reset_token"
    link  = "input.auth.reset_url"
  }
  to {
    connector = connector.mailer
    operation = "POST /messages"
  }
}
