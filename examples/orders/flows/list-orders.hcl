flow "list_orders" {
  from {
    connector = "api"
    operation = "list_orders"
  }

  cache {
    storage = "cache"
    ttl     = "30s"
    key     = "orders:${input.status}:${input.limit}"
  }

  to {
    connector = "db"
    operation = "orders_by_status"
  }

  response {
    orders = "output.items"
    count  = "size(output.items)"
  }
}
