service {
  name       = "folders"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "stock.db"
}

connector "files" {
  type          = "file"
  base_path     = "data"
  csv_delimiter = "semicolon"

  operation "report" {
    path_pattern = "reports/{year}.data"
    format       = "csv"

    param "year" {
      type = "integer"
      min  = 2000
    }
  }

  operation "add_line" {
    path_pattern = "logs/{day}.log"
    action       = "append"
    format       = "ndjson"
  }
}

connector "inbox" {
  type           = "file"
  base_path      = "inbox"
  watch_interval = "50ms"

  watch {
    done   = "done"
    failed = "failed"
  }
}

connector "shop" {
  type     = "http"
  base_url = env("SHOP_URL", "http://localhost:4000")
}
