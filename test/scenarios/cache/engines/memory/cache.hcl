connector "cache" {
  type      = "cache"
  driver    = "memory"
  max_items = 1000

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
