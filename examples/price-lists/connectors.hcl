connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "prices.db")
}

# Suppliers put their lists here. A list that was taken is moved to `inbox/done`, one that cannot be to `inbox/failed`.
connector "inbox" {
  type           = "file"
  base_path      = "inbox"
  csv_delimiter  = "semicolon"
  watch_interval = "1s"

  watch {
    done        = "done"
    failed      = "failed"
    retry_count = 1
  }
}

connector "reports" {
  type      = "file"
  base_path = "reports"

  operation "report" {
    path_pattern = "{day}.csv"

    param "day" {
      required = true
      pattern  = "^\\d{4}-\\d{2}-\\d{2}$"
    }
  }
}
