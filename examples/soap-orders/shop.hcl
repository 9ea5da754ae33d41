flow "order_by_http" {
  from {
    connector = "shop"
    operation = "POST /orders"
  }

  transform {
    customer = "input.customer"
    lines    = "input.lines"
  }

  to {
    connector = "partner"
    operation = "CreateOrder"
  }
}
