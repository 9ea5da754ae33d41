connector "api" {
  type = "rest"
  port = 3000
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./data/app.db"

  operation "open_orders" {
    query = "SELECT * FROM orders WHERE state IN (:states)"
  }
}

flow "orders" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
