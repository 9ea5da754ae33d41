# Asks another service for an order, and creates one there.
connector "api" {
  type = "rest"
  port = env("PORT", "3001")
}

connector "erp" {
  type         = "soap"
  endpoint     = env("ERP_URL", "http://localhost:8081/orders")
  soap_version = "1.1"
  namespace    = "http://example.org/orders"
  timeout      = "10s"

  security {
    username = "shop"
    password = env("ERP_PASSWORD", "a password")
  }
}

flow "get_order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }

  step "order" {
    connector = "erp"
    operation = "GetOrder"
    params {
      id = "input.id"
    }
  }

  response {
    id    = "step.order.id"
    total = "double(step.order.total)"
  }
}

flow "create_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }

  transform {
    customer = "input.customer"
    lines    = "input.lines"
  }

  to {
    connector = "erp"
    operation = "CreateOrder"
  }
}
