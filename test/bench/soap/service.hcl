service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type      = "soap"
  port      = env("PORT", "3000")
  namespace = "http://example.org/orders"
}

type "order_line" {
  sku      = string
  quantity = integer
}

type "order_request" {
  customer = string
  lines    = array({ items = "order_line" })
}

type "order_view" {
  id       = string
  customer = string
  count    = integer
  first    = string
}

flow "create_order" {
  from {
    connector = "api"
    operation = "CreateOrder"
  }
  validate {
    input  = "order_request"
    output = "order_view"
  }
  response {
    id       = "'o-1042'"
    customer = "input.customer"
    count    = "size(input.lines)"
    first    = "input.lines[0].sku"
  }
}
