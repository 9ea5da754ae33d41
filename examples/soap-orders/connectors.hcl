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

# Its WSDL says the operations, their parameters and namespaces; `svc validate` knows them.
connector "partner" {
  type     = "soap"
  wsdl     = "partner/orders.wsdl"
  endpoint = env("PARTNER_URL", "http://localhost:8081/orders")
  timeout  = "5s"

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
