service {
  name       = "synchronisation"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://localhost:5432/shop")
}

connector "remote" {
  type     = "http"
  base_url = env("REMOTE_URL", "http://localhost:4001")
}
