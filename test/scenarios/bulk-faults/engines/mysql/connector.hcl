connector "db" {
  type   = "database"
  driver = "mysql"
  url    = env("DATABASE_URL")
}
