connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# Vans and accounts are two databases, so that no transaction covers both.
connector "vans" {
  type     = "database"
  driver   = "sqlite"
  database = env("VANS_DATABASE", "vans.db")
}

connector "accounts" {
  type     = "database"
  driver   = "sqlite"
  database = env("ACCOUNTS_DATABASE", "accounts.db")
}
