connector "cache" {
  type    = "cache"
  driver  = "redis"
  url     = env("CACHE_URL", "redis://localhost:6379")
  prefix  = env("CACHE_PREFIX", "scenario")
  timeout = "500ms"

  operation "session" {
    key_pattern = "session:{user_id}"
    ttl         = "1h"
  }

  operation "visits" {
    key_pattern = "visits:{page}"
    command     = "increment"
    ttl         = "2h"
  }
}
