connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# The books, and what aspects write down about them.
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "library.db")
}

connector "cache" {
  type      = "cache"
  driver    = "memory"
  max_items = 1000
}
