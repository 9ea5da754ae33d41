# Files that are put here become messages, and are moved when they were handled.
connector "inbox" {
  type           = "file"
  base_path      = env("INBOX", "./inbox")
  watch_interval = "500ms"

  watch {
    done   = "done"
    failed = "failed"
  }
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "readings.db")

  operation "all_readings" {
    query = "SELECT id, sensor, celsius, file FROM readings ORDER BY id"
  }
}
