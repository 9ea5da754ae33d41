# What the service is called through.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")

  # The contract of a request: defaults are filled in, values converted and checked before the flow runs.
  operation "list_orders" {
    method = "GET"
    path   = "/orders"

    param "status" {
      type        = "string"
      enum        = ["any", "open", "paid", "shipped"]
      default     = "any"
      description = "Only orders in this state"
    }
    param "limit" {
      type    = "number"
      min     = 1
      max     = 100
      default = 20
    }
  }
}

# Where the orders are kept. A relative path is taken from this directory.
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "orders.db")

  operation "orders_by_status" {
    query = <<-SQL
      SELECT id, customer, item, quantity, total, status, created_at
      FROM orders
      WHERE :status = 'any' OR status = :status
      ORDER BY id DESC
      LIMIT :limit
    SQL
  }
}

connector "cache" {
  type        = "cache"
  driver      = "memory"
  max_items   = 10000
  default_ttl = "5m"
}
