connector "api" {
  type = "graphql"
  port = env("PORT", "4000")

  limits {
    depth = 6
  }
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "./shop.db")
}
