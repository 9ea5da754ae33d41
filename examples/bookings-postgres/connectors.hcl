connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://postgres@localhost:5432/bookings")

  pool {
    max = 10
  }
}
