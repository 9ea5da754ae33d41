connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# Where the accounts are kept. The table is made at the first start.
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "accounts.db")
}

# What sends mail. The README starts a stand-in that prints what it is given.
connector "mailer" {
  type     = "http"
  base_url = env("MAILER_URL", "http://localhost:8025")
  timeout  = "5s"
  health   = "optional"
}
