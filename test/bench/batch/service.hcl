service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "old" {
  type     = "database"
  driver   = "sqlite"
  database = "bench.db"
}

connector "new" {
  type   = "database"
  driver = "postgres"
  url    = env("BENCH_POSTGRES_URL")
}

flow "copy_users" {
  from {
    connector = "api"
    operation = "POST /copy"
  }
  batch {
    source     = "old"
    query      = "SELECT id, name, email, age FROM users ORDER BY id"
    chunk_size = 1000
    transform {
      name  = "trim(input.name)"
      email = "lower(input.email)"
      age   = "input.age"
    }
    to {
      connector = "new"
      target    = "users"
    }
  }
}
