connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# A relative path is taken from this directory.
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "tickets.db")
}
