connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# The service that is asked.
connector "catalog" {
  type     = "http"
  base_url = env("CATALOG_URL", "http://localhost:4001")
  timeout  = "2s"

  retry {
    attempts  = 3
    delay     = "100ms"
    backoff   = "exponential"
    max_delay = "1s"
  }
}

connector "cache" {
  type      = "cache"
  driver    = "memory"
  max_items = 10000
}
