service {
  name       = "notices"
  admin_port = env("ADMIN_PORT", "9090")

  shutdown {
    timeout = "20s"
  }
}

connector "sink" {
  type     = "http"
  base_url = env("SINK_URL", "http://localhost:8080")
}
