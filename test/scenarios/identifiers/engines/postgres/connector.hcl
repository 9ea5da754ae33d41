connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://localhost:5432/accounts")

  operation "account" {
    query = "SELECT id, balance FROM accounts WHERE id = :id"

    param "id" {
      type = "integer"
    }
  }
}
