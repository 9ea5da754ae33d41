connector "db" {
  type     = "database"
  driver   = "sqlite"
  tables   = ["products", "orders"]
  database = "shop.db"

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
