connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "shop.db"

  operation "by_name" {
    query = "SELECT id, name FROM products WHERE name = :name ORDER BY id"
  }

  operation "product_rows" {
    table = "products"
  }
}
