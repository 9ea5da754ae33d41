# What the request leaves out, the type fills in.
flow "fill_cart" {
  from {
    connector = "api"
    operation = "POST /carts"
  }

  validate {
    input = "cart"
  }

  to {
    connector = "db"
    query     = "INSERT INTO carts (customer, items, kept_until) VALUES (:customer, :items, datetime('now', '+' || :minutes || ' minutes'))"
  }
}

flow "list_carts" {
  from {
    connector = "api"
    operation = "GET /carts"
  }

  to {
    connector = "db"
    query     = "SELECT id, customer, items FROM carts ORDER BY id"
  }
}
