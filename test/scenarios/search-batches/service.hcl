service {
  name       = "search-batches"
  admin_port = env("ADMIN_PORT", "0")
}

connector "api" {
  type = "rest"
  port = env("PORT", "0")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "rows.db"
}

connector "books" {
  type  = "search"
  url   = env("SEARCH_URL")
  index = "books"
}
