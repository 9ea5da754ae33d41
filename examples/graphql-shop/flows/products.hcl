# Other services of a federation ask for products by their id too.
flow "product" {
  returns = "product"
  entity  = "product"

  from {
    connector = "api"
    operation = "Query.product"
  }

  to {
    connector = "db"
    query     = "SELECT id, name, price, kind FROM products WHERE id = :id"
  }
}

flow "products" {
  returns = "[product!]!"

  from {
    connector = "api"
    operation = "Query.products"
  }

  to {
    connector = "db"
    query     = "SELECT id, name, price, kind FROM products ORDER BY name"
  }
}

flow "create_product" {
  returns = "product"

  from {
    connector = "api"
    operation = "Mutation.create_product"
  }

  validate {
    input = "new_product"
  }

  to {
    connector = "db"
    target    = "products"
  }
}
