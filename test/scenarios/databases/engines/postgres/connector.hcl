connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://localhost:5432/shop")

  operation "by_name" {
    query = "SELECT id, name FROM products WHERE name = :name ORDER BY id"
  }

  operation "product_rows" {
    table = "products"
  }
}
