service {
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type          = "rest"
  host          = "127.0.0.1"
  port          = env("PORT")
  max_upload    = "200MB"
  read_timeout  = env("READ_TIMEOUT", "20s")
  write_timeout = "1s"
}

connector "store" {
  type      = "file"
  base_path = env("STORE")
}

connector "archive" {
  type      = "file"
  base_path = env("ARCHIVE")
}

connector "peer" {
  type         = "http"
  base_url     = env("PEER_URL", "http://127.0.0.1:9")
  max_response = "200MB"
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", ":memory:")
}
