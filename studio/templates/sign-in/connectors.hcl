connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# Where the accounts are kept. Their table is made at the first start.
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "accounts.db")
}
