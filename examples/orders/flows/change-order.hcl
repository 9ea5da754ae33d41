flow "change_order" {
  from {
    connector = "api"
    operation = "PATCH /orders/:id"
  }

  validate {
    input = "order_change"
  }

  # Without a transform, what the type declares is written to the row that the path names.
  to {
    connector = "db"
    target    = "orders"
  }

  response {
    http_status_code = "output.affected == 0 ? '404' : '200'"
    changed          = "output.affected > 0"
  }

  after {
    invalidate {
      storage  = "cache"
      keys     = ["order:${input.id}"]
      patterns = ["orders:*"]
    }
  }
}
