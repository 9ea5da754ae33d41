service {
  name       = "mocked"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT")
}

connector "db" {
  type   = "database"
  driver = "postgres"
  url    = "postgres://absent@127.0.0.1:1/none"
}

connector "bank" {
  type     = "http"
  base_url = "http://127.0.0.1:1"
}

connector "shared" {
  type   = "cache"
  driver = "redis"
  url    = "redis://127.0.0.1:1"
}
