connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "accounts.db"

  operation "account" {
    query = "SELECT id, balance FROM accounts WHERE id = :id"

    param "id" {
      type = "integer"
    }
  }
}
