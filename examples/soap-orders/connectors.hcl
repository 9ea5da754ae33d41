connector "orders" {
  type      = "soap"
  port      = env("SOAP_PORT", "8081")
  namespace = "http://example.org/orders"

  security {
    users     = { shop = env("SHOP_PASSWORD", "a password") }
    passwords = "digest"
  }
}

connector "shop" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "partner" {
  type      = "soap"
  endpoint  = env("PARTNER_URL", "http://localhost:8081/orders")
  namespace = "http://example.org/orders"
  timeout   = "5s"

  security {
    username = "shop"
    password = env("SHOP_PASSWORD", "a password")
  }
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "orders.db")
}
