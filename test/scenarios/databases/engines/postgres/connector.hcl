connector "db" {
  type     = "database"
  driver   = "postgres"
  url      = env("DATABASE_URL", "postgres://localhost:5432/shop")

  operation "by_name" {
    query = "SELECT id, name FROM products WHERE name = :name AND :id2 = '2' ORDER BY id"

    param "name" {
      required = true
    }
    param "id2" {
      default = "2"
    }
  }

  operation "product_rows" {
    table = "products"
  }
}
