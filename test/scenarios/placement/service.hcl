service {
  name       = "placement"
  version    = "1"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT", "3000")
}

connector "sink" {
  type     = "http"
  base_url = env("SINK_URL", "http://localhost:8080")
}

flow "ping" {
  from {
    connector = "api"
    operation = "GET /ping"
  }
  response {
    ok = "true"
  }
}
