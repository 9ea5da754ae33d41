connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://localhost:5432/rows")

  operation "keep_copy" {
    query = "INSERT INTO copies (id, times) VALUES (:id, 1) ON CONFLICT (id) DO UPDATE SET times = copies.times + 1"
  }
}
