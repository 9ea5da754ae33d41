connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# The service that is asked. Until CATALOG_URL names a real one, the flow in stand-in.hcl answers in its place.
connector "catalog" {
  type     = "http"
  base_url = env("CATALOG_URL", "http://localhost:${env("PORT", "3000")}/stand-in")
  timeout  = "2s"
  health   = "optional"

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
