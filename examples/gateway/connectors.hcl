connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

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

# Prices come from one of two places. When the first cannot be reached or fails, the next one is asked.
connector "prices" {
  select   = "env('PRICE_SOURCE', 'live')"
  default  = "live"
  fallback = ["live", "archive"]

  profile "live" {
    type     = "http"
    base_url = env("PRICES_URL", "http://localhost:4002")
    timeout  = "1s"
  }

  profile "archive" {
    type     = "http"
    base_url = env("PRICE_ARCHIVE_URL", "http://localhost:4003")
    timeout  = "2s"
  }
}

connector "cache" {
  type      = "cache"
  driver    = "memory"
  max_items = 10000
}
