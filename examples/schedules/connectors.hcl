connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# Holds the carts, and the claims of the schedules.
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "carts.db")
}
