connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "bench.db"
}
