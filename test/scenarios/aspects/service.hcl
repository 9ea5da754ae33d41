service {
  name       = "aspects"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "items.db"
}

connector "stock" {
  type     = "http"
  base_url = env("STOCK_URL", "http://localhost:4001")
  timeout  = "5s"
}
