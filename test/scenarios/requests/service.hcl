service {
  name       = "requests"
  version    = "1.2.3"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type         = "rest"
  port         = env("PORT", "3000")
  max_body     = "20KB"
  body_formats = ["json", "form", "xml", "csv"]
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "requests.db"
}
