flow "note" {
  from {
    connector = "stock"
    operation = "UPDATE:stock"
  }
  transform {
    id   = "input.id"
    item = "input.new.item"
    left = "input.new.amount"
  }
  to {
    connector = "db"
    target    = "history"
    operation = "UPSERT"
    conflict  = ["id"]
  }
}

flow "history" {
  from {
    connector = "api"
    operation = "GET /history/:item"
  }
  to {
    connector = "db"
    query     = "SELECT left FROM history WHERE item = :item ORDER BY rowid"
  }
}
