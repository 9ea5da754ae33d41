flow "delete_order" {
  from {
    connector = "api"
    operation = "DELETE /orders/:id"
  }

  to {
    connector = "db"
    target    = "orders"
  }

  response {
    http_status_code = "output.affected == 0 ? '404' : '200'"
    deleted          = "output.affected > 0"
  }

  after {
    invalidate {
      storage  = "cache"
      keys     = ["order:${input.id}"]
      patterns = ["orders:*"]
    }
  }
}
