service {
  name       = "flows"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# The same kind of server, for callers who say who they are.
connector "staff" {
  type = "rest"
  port = env("STAFF_PORT", "3001")

  auth {
    type   = "jwt"
    secret = env("JWT_SECRET", "a secret of at least thirty-two bytes")
  }
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "flows.db"
}

connector "audit" {
  type     = "database"
  driver   = "sqlite"
  database = "audit.db"
}

connector "remote" {
  type     = "http"
  base_url = env("REMOTE_URL", "http://localhost:4000")
  timeout  = "5s"
}

constants {
  currency = "CHF"
}
