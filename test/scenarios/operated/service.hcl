service {
  name       = "operated"
  admin_port = env("ADMIN_PORT", "9090")

  workflow {
    storage = connector.db
    lease   = "1s"
  }
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://localhost:5432/operated")
}

saga "rent" {
  from {
    connector = "api"
    operation = "POST /rentals"
  }

  step "hold" {
    action {
      connector = "db"
      query     = "INSERT INTO runs (flow) VALUES ('hold')"
    }
    compensate {
      connector = "db"
      query     = "INSERT INTO runs (flow) VALUES ('undo')"
    }
  }

  step "pickup" {
    await = "keys"
  }

  step "drive" {
    action {
      connector = "db"
      query     = "INSERT INTO runs (flow) VALUES ('drive')"
    }
  }
}

# Once a year, or when a person wants it.
flow "claimed" {
  when {
    schedule = "@yearly"
    storage  = connector.db
  }
  to {
    connector = "db"
    query     = "INSERT INTO runs (flow) VALUES ('claimed')"
  }
}

flow "everywhere" {
  when = "@yearly"

  to {
    connector = "db"
    query     = "INSERT INTO runs (flow) VALUES ('everywhere')"
  }
}
