service {
  name       = "lifecycle"
  version    = "4.5.6"
  admin_port = env("ADMIN_PORT", "9090")

  shutdown {
    delay   = env("STOP_DELAY", "0s")
    timeout = env("STOP_TIMEOUT", "20s")
  }
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "remote" {
  type     = "http"
  base_url = env("REMOTE_URL", "http://localhost:4000")
}
