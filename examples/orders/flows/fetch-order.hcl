flow "fetch_order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }

  cache {
    storage = "cache"
    key     = "order:${input.id}"
  }

  to {
    connector = "db"
    target    = "orders"
  }

  # A read answers a list of rows; the path names one order, so there is one or none.
  response {
    http_status_code = "size(output.items) == 0 ? '404' : '200'"
    order            = "first(output.items)"
  }
}
