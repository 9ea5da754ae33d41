connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# A relative path is taken from this directory.
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "billing.db")

  # A bill that is there already is replaced, so that a batch can be run again.
  operation "keep_bill" {
    query = "INSERT INTO bills (customer, month, cents) VALUES (:customer, :month, :cents) ON CONFLICT (customer, month) DO UPDATE SET cents = excluded.cents"
  }
}
