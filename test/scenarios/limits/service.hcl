service {
  name       = "limits"
  admin_port = env("ADMIN_PORT", "9090")

  rate_limit {
    requests_per_second = 2
    burst               = 3
    key_extractor       = "header:X-Client"
    exclude_paths       = ["/health", "/metrics", "/free"]
  }
}

connector "api" {
  type          = "rest"
  port          = env("PORT", "3000")
  max_body      = "100KB"
  max_in_flight = 4
  read_timeout  = "1s"
  idle_timeout  = "1s"

  cors {
    origins = ["https://app.example.org"]
  }

  auth {
    type   = "api_key"
    keys   = ["key"]
    public = ["/free/*"]
  }
}

connector "hasty" {
  type            = "rest"
  port            = env("HASTY_PORT", "3001")
  timeout         = "300ms"
  max_connections = 5
}

connector "remote" {
  type     = "http"
  base_url = env("REMOTE_URL", "http://localhost:4000")
}
