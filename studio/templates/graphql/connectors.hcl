# Browsers that open its address see a page where queries can be tried.
connector "api" {
  type = "graphql"
  port = env("PORT", "3000")

  limits {
    depth = 6
  }
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "shop.db")
}
