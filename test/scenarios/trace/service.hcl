service {
  name = "shop"
}

connector "api" {
  type = "rest"
  port = env("PORT", "0")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./shop.db"
}

connector "kept" {
  type   = "cache"
  driver = "memory"
}

connector "payments" {
  type     = "http"
  base_url = env("PAYMENTS")
}

# No server answers there: flows that do not use it are traced all the same.
connector "away" {
  type     = "database"
  driver   = "postgres"
  host     = "127.0.0.1"
  port     = 1
  user     = "absent"
  database = "nowhere"
}
