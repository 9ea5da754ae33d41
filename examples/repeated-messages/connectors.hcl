connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "shop.db")
}

# Remembers what was written and answered. Other processes do not see it; a redis cache they would.
connector "remembered" {
  type   = "cache"
  driver = "memory"
}
