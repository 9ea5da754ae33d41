# Orders behind a SOAP service, whose WSDL is at http://localhost:8081/wsdl
connector "orders" {
  type      = "soap"
  port      = env("PORT", "8081")
  namespace = "http://example.org/orders"

  security {
    users     = { shop = env("SHOP_PASSWORD", "a password") }
    passwords = "digest"
  }
}

type "order_request" {
  customer = string({ max_length = 100 })
  quantity = integer({ min = 1 })
}

type "order_view" {
  id       = string
  customer = string
  quantity = integer
}

flow "create_order" {
  from {
    connector = "orders"
    operation = "CreateOrder"
  }

  validate {
    input  = "order_request"
    output = "order_view"
  }

  response {
    id       = "uuid()"
    customer = "input.customer"
    quantity = "input.quantity"
  }
}
