connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "ledger.db"
}
