service {
  name       = "orders"
  admin_port = env("ADMIN_PORT", "9090")

  shutdown {
    delay   = "500ms"
    timeout = "20s"
  }
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://localhost:5432/chaos")
}

connector "recent" {
  type        = "cache"
  driver      = "memory"
  max_items   = 1000
  default_ttl = "1m"
}
