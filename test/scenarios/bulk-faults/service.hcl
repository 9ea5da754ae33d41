service {
  name       = "bulk-faults"
  admin_port = env("ADMIN_PORT", "0")
}

connector "api" {
  type = "rest"
  port = env("PORT", "0")

  # A batch that waits for its database is answered in the end.
  timeout = "5m"
}

connector "rows" {
  type     = "database"
  driver   = "sqlite"
  database = "rows.db"
}
