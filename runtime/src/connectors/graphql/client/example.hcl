# Asks a shop for an order, changes one, and writes down what the shop says of those that have changed.
connector "api" {
  type = "rest"
  port = env("PORT", "3001")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}

connector "shop" {
  type        = "graphql"
  driver      = "client"
  endpoint    = env("SHOP_URL", "http://localhost:4000/graphql")
  retry_count = 3
  auth {
    type  = "bearer"
    token = env("SHOP_TOKEN", "a token")
  }

  operation "order" {
    document = "query($id: ID!) { order(id: $id) { id total } }"
    param "id" {
      required = true
    }
  }
}

flow "order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  step "shop" {
    connector = "shop"
    operation = "order"
    params    = { id = "input.id" }
  }
  response {
    total = "step.shop.order.total"
  }
}

flow "pay" {
  from {
    connector = "api"
    operation = "POST /orders/:id/payments"
  }
  to {
    connector = "shop"
    operation = "mutation($id: ID!, $amount: Float!) { pay(id: $id, amount: $amount) { id } }"
  }
}

flow "changed" {
  from {
    connector = "shop"
    operation = "subscription { order_changed { id total } }"
  }
  to {
    connector = "db"
    target    = "changes"
    operation = "INSERT"
  }
}
