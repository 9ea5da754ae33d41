service {
  name       = "workflows"
  admin_port = env("ADMIN_PORT", "9090")

  shutdown {
    timeout = env("STOP_TIMEOUT", "20s")
  }

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
  type     = "database"
  driver   = "sqlite"
  database = "workflows.db"
}

connector "remote" {
  type     = "http"
  base_url = env("REMOTE_URL", "http://localhost:4000")
}
