connector "db" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL")
}
