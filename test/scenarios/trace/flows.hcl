flow "buy" {
  from {
    connector = "api"
    operation = "POST /orders"
    filter    = "input.kind == 'order'"
  }
  step "price" {
    connector = "payments"
    operation = "GET /prices/:item"
    params    = { item = "input.item" }
  }
  step "charge" {
    connector = "payments"
    operation = "POST /charges"
    body      = { amount = "step.price.amount" }
  }
  transform {
    item   = "input.item"
    amount = "step.price.amount"
  }
  to {
    connector = "db"
    target    = "orders"
  }
  to {
    connector = "payments"
    operation = "POST /receipts"
  }
  after {
    invalidate {
      storage = "kept"
      keys    = ["orders"]
    }
  }
}

flow "book" {
  from {
    connector = "api"
    operation = "POST /bookings"
  }
  to {
    connector = "db"
    transaction {
      exec {
        query  = "DELETE FROM orders WHERE item = :item"
        params = { item = "input.item" }
      }
    }
  }
}

flow "orders" {
  from {
    connector = "api"
    operation = "GET /orders"
  }
  cache {
    storage = "kept"
    key     = "orders"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}

flow "archive" {
  from {
    connector = "api"
    operation = "POST /archive"
  }
  to {
    connector = "away"
    target    = "orders"
  }
}
