service {
  name       = "cache"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "things.db"
}

# Settings that several flows share.
cache "shelf" {
  storage  = "cache"
  ttl      = "1h"
  prefix   = "shelf"
  encoding = ["json", "gzip"]
}
