flow "list_products" {
  from {
    connector = "api"
    operation = "GET /products"
  }

  to {
    connector = "db"
    target    = "products"
  }
}

flow "fetch_product" {
  from {
    connector = "api"
    operation = "GET /products/:id"
  }

  to {
    connector = "db"
    target    = "products"
  }
}

flow "create_product" {
  from {
    connector = "api"
    operation = "POST /products"
  }

  to {
    connector = "db"
    target    = "products"
  }
}

flow "change_product" {
  from {
    connector = "api"
    operation = "PATCH /products/:id"
  }

  to {
    connector = "db"
    target    = "products"
  }
}

flow "delete_product" {
  from {
    connector = "api"
    operation = "DELETE /products/:id"
  }

  to {
    connector = "db"
    target    = "products"
  }
}

# No path parameter and no id: these would touch every row.
flow "change_all" {
  from {
    connector = "api"
    operation = "PUT /products"
  }

  to {
    connector = "db"
    target    = "products"
  }
}

flow "delete_all" {
  from {
    connector = "api"
    operation = "DELETE /products"
  }

  to {
    connector = "db"
    target    = "products"
  }
}

# Said on purpose.
flow "clear" {
  from {
    connector = "api"
    operation = "POST /clear"
  }

  to {
    connector = "db"
    query     = "DELETE FROM products"
  }
}

flow "search" {
  from {
    connector = "api"
    operation = "QUERY /search"
  }

  to {
    connector = "db"
    query = <<-SQL
      SELECT id, name, ':name' AS literal, 12 AS twelve, '12:30:00' AS at -- :comment
      FROM products /* :other */
      WHERE name = :name OR name = :name2
      ORDER BY id
    SQL
  }
}

flow "search_list" {
  from {
    connector = "api"
    operation = "QUERY /search-list"
  }

  to {
    connector = "db"
    query     = "SELECT name FROM products WHERE name IN (:names) ORDER BY name"
  }
}

flow "named" {
  from {
    connector = "api"
    operation = "GET /named"
  }

  to {
    connector = "db"
    operation = "by_name"
  }
}

flow "named_rows" {
  from {
    connector = "api"
    operation = "GET /named/:id"
  }

  to {
    connector = "db"
    operation = "product_rows"
  }
}

# The message chooses the table.
flow "any_table" {
  from {
    connector = "api"
    operation = "GET /tables"
  }

  to {
    connector    = "db"
    target       = "input.table"
    query_filter = { id = 1 }
  }
}

flow "ghosts" {
  from {
    connector = "api"
    operation = "GET /ghosts"
  }

  to {
    connector = "db"
    target    = "ghosts"
  }
}

flow "changed_rows" {
  from {
    connector = "api"
    operation = "POST /restock"
  }

  to {
    connector = "db"
    query     = "UPDATE products SET stock = stock + 1 WHERE stock IS NOT NULL RETURNING name, stock"
  }
}

flow "page_of_products" {
  from {
    connector = "api"
    operation = "GET /page"
  }

  to {
    connector = "db"
    operation = "page_of_products"
  }
}

# The order and its lines: the key of the first is captured for the others.
flow "order_of_products" {
  from {
    connector = "api"
    operation = "POST /bundles"
  }

  to {
    connector = "db"
    transaction {
      exec {
        query   = "INSERT INTO products (name) VALUES (:name)"
        params  = { name = "input.name" }
        capture = "bundle"
      }
      each "part" in "input.parts" {
        exec {
          query  = "INSERT INTO products (name, stock) VALUES (:name, :bundle)"
          params = { name = "part", bundle = "captured.bundle" }
        }
      }
    }
  }
}
