connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "shop.db"

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
