connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "parcels.db"
}
