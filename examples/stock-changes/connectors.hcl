connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./history.db"
}

# Every change of the table, in order, also of what other programs write.
connector "stock" {
  type              = "cdc"
  driver            = "postgres"
  url               = env("POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
  slot_name         = env("SLOT", "example_stock")
  publication       = env("PUBLICATION", "example_stock")
  tables            = ["stock"]
  create_if_missing = true
  dlq {
    table = "stock_failed"
  }
}
