connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "rentals.db")
}
