service {
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type          = "rest"
  host          = "127.0.0.1"
  port          = env("PORT")
  max_upload    = "200MB"
  write_timeout = "1s"
}

connector "peer" {
  type         = "http"
  base_url     = env("PEER_URL")
  max_response = "200MB"
  timeout      = "20s"
}

connector "jobs" {
  type   = "cache"
  driver = "memory"
}
