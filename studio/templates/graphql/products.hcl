flow "create_product" {
  returns = "product"

  from {
    connector = "api"
    operation = "Mutation.create_product"
  }

  validate {
    input = "new_product"
  }

  transform {
    name  = "trim(input.name)"
    price = "input.price"
  }

  to {
    connector = "db"
    target    = "products"
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
    query     = "SELECT id, name, price FROM products ORDER BY name"
  }
}

flow "product" {
  returns = "product"

  from {
    connector = "api"
    operation = "Query.product"
  }

  to {
    connector = "db"
    query     = "SELECT id, name, price FROM products WHERE id = :id"
  }
}
