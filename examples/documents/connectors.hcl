connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "shop" {
  type        = "database"
  driver      = "mongodb"
  uri         = env("MONGODB_URI", "mongodb://localhost:27017")
  database    = env("MONGODB_DATABASE", "shop")
  collections = ["orders", "stock", "order_log"]
  max_rows    = 500

  changes {
    max_retries  = 5
    dead_letters = "order_changes_failed"
  }

  operation "orders_from" {
    collection   = "orders"
    action       = "FIND"
    query_filter = { total = { "$gte" = ":from" } }

    param "from" {
      type    = "number"
      default = 0
      min     = 0
    }
    param "sort" {
      default = "-total"
    }
    param "limit" {
      type    = "integer"
      default = 50
      max     = 500
    }
  }

  operation "sales" {
    collection = "orders"
    query      = "[{\"$match\": {\"state\": \":state\"}}, {\"$group\": {\"_id\": \"$customer\", \"total\": {\"$sum\": \"$total\"}}}, {\"$sort\": {\"total\": -1}}]"

    param "state" {
      required = true
      enum     = ["open", "paid"]
    }
  }
}
