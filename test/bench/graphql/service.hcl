service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "graphql"
  port = env("PORT", "4000")

  schema {
    path = "schema.graphql"
  }
}

flow "order" {
  from {
    connector = "api"
    operation = "Query.order"
  }
  response {
    id       = "input.id"
    state    = "constants.order.state"
    total    = "constants.order.total"
    customer = "constants.order.customer"
    lines    = "constants.order.lines"
  }
}

flow "users" {
  from {
    connector = "api"
    operation = "Query.users"
  }
  response {
    users = "constants.users"
  }
}
