connector "api" {
  type = "rest"
  port = 3000
}

connector "shop" {
  type        = "database"
  driver      = "mongodb"
  uri         = env("MONGODB_URI")
  database    = "shop"
  collections = ["orders", "customers"]

  changes {
    workers      = 4
    max_retries  = 5
    dead_letters = "orders_failed"
  }

  operation "sales" {
    collection = "orders"
    query      = "[{\"$match\": {\"state\": \":state\"}}, {\"$group\": {\"_id\": \"$customer\", \"total\": {\"$sum\": \"$total\"}}}]"

    param "state" {
      required = true
    }
  }
}

flow "create_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  to {
    connector = "shop"
    target    = "orders"
  }
}

flow "late_orders" {
  from {
    connector = "api"
    operation = "GET /orders"
  }
  to {
    connector    = "shop"
    target       = "orders"
    query_filter = { state = "open", total = { "$gte" = "int(input.from)" } }
    params       = { sort = "-total", limit = 50 }
  }
}

flow "pay_order" {
  from {
    connector = "api"
    operation = "PUT /orders/:id"
  }
  to {
    connector = "shop"
    target    = "orders"
    update    = { "$set" = { state = "paid", paid = "timestamp(now())" }, "$inc" = { changes = 1 } }
  }
}

flow "order_changed" {
  from {
    connector = "shop"
    operation = "orders"
  }
  transform {
    order = "input.id"
    what  = "input.operation"
  }
  to {
    connector = "shop"
    target    = "order_log"
  }
}
