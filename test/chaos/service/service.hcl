service {
  name       = "chaos"
  admin_port = env("ADMIN_PORT", "9090")

  workflow {
    storage = connector.db
    lease   = env("LEASE", "5s")
  }
}

# Every process that is started has another name, so that an effect tells who had it.
constants {
  process = env("PROCESS", "alone")
}

connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT", "3000")
}

# What keeps the workflows has connections of its own, so that it never waits for steps.
connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://localhost:5432/chaos")

  pool {
    max = 4
    min = 1
  }
}

connector "work" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://localhost:5432/chaos")

  pool {
    max = 8
    min = 1
  }

  operation "effect" {
    query = <<-SQL
      INSERT INTO effects (workflow, step, process, at)
      SELECT CAST(:workflow AS integer), :step, :process, clock_timestamp()
      FROM pg_sleep(CAST(:seconds AS double precision))
    SQL
  }
}
