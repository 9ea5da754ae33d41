service {
  name       = "ticking"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://localhost:5432/ticking")
}

connector "claims" {
  type    = "cache"
  driver  = "redis"
  url     = env("CACHE_URL", "redis://localhost:6379")
  prefix  = env("CACHE_PREFIX", "ticking")
  timeout = "500ms"
}
