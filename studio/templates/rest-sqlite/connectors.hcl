# What the service is called through.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# Where the tasks are kept. A relative path is taken from this directory.
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "tasks.db")

  operation "all_tasks" {
    query = "SELECT id, title, done, created_at FROM tasks ORDER BY id"
  }
}
