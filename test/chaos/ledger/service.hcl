service {
  name       = "ledger"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://localhost:5432/chaos")
}

# Every attempt leaves a row, so that repetitions can be counted; the ledger has one row for each message.
flow "write_down" {
  from {
    connector = "messages"
  }

  transform {
    id     = "int(input.body.id)"
    amount = "int(input.body.amount)"
  }

  to {
    connector = "db"
    target    = "attempts"
    transform {
      id = "output.id"
    }
  }

  to {
    connector = "db"
    operation = "UPSERT"
    target    = "ledger"
    conflict  = ["id"]
  }
}
