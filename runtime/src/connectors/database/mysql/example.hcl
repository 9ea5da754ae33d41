connector "api" {
  type = "rest"
  port = 3000
}

connector "db" {
  type     = "database"
  driver   = "mysql"
  host     = "db.internal"
  database = "shop"
  user     = "shop"
  password = env("DB_PASSWORD")
  ssl_mode = "verify-full"

  pool {
    max          = 20
    max_lifetime = "5m"
  }
}

flow "create_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
