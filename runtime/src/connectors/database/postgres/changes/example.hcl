connector "changes" {
  type              = "cdc"
  driver            = "postgres"
  url               = env("DATABASE_URL")
  slot_name         = "stock"
  publication       = "stock"
  create_if_missing = true
  tables            = ["orders", "products"]
  snapshot          = "initial"
  workers           = 4
}

connector "warehouse" {
  type   = "database"
  driver = "sqlite"
  path   = "./warehouse.db"
}

flow "order_placed" {
  from {
    connector = "changes"
    operation = "INSERT:orders"
  }
  transform {
    number = "input.new.id"
    total  = "input.new.total"
    placed = "input.timestamp"
  }
  to {
    connector = "warehouse"
    target    = "orders"
    operation = "UPSERT"
    conflict  = ["number"]
  }
}

flow "product_removed" {
  from {
    connector = "changes"
    operation = "DELETE:products"
  }
  to {
    connector = "warehouse"
    query     = "DELETE FROM products WHERE id = :product"
    params    = { product = "input.old.id" }
  }
}
