# Orders arrive as CSV files, one row each. Each becomes a row of a table, and a receipt; what cannot be taken is moved to `failed`.
connector "inbox" {
  type           = "file"
  base_path      = "./orders"
  watch_interval = "2s"
  watch {
    done        = "done"
    failed      = "failed"
    retry_count = 5
  }
}

connector "receipts" {
  type      = "file"
  base_path = "./receipts"

  operation "receipt" {
    path_pattern = "{day}/{number}.json"
  }
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "orders.db"
}

flow "take_order" {
  from {
    connector = "inbox"
    operation = "*.csv"
  }
  validate {
    input = "order"
  }
  transform {
    number = "input.number"
    amount = "double(input.amount)"
    day    = "input._mod_time.substring(0, 10)"
  }
  to {
    connector = "db"
    target    = "orders"
  }
  to {
    connector = "receipts"
    operation = "receipt"
  }
}

type "order" {
  number = string({ pattern = "^[A-Z0-9-]+$" })
  amount = string({ pattern = "^[0-9]+(\\.[0-9]+)?$" })
}
