connector "db" {
  type   = "database"
  driver = "postgres"
  tables = ["products", "orders"]
  url    = env("DATABASE_URL", "postgres://localhost:5432/shop")

  operation "by_name" {
    query = "SELECT id, name FROM products WHERE name = :name ORDER BY id"
  }

  operation "product_rows" {
    table = "products"
  }

  operation "page_of_products" {
    table = "products"

    param "name" {}
    param "limit" {
      type    = "integer"
      default = 2
      max     = 100
    }
    param "offset" {
      type = "integer"
    }
    param "sort" {
      default = "name"
    }
    param "page" {}
  }
}
