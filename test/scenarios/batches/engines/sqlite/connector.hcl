connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "rows.db"

  operation "keep_copy" {
    query = "INSERT INTO copies (id, times) VALUES (:id, 1) ON CONFLICT (id) DO UPDATE SET times = copies.times + 1"
  }
}
