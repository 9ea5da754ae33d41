connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# Every process of the service counts in the same Redis server. With driver = "memory", each counts for itself.
connector "counters" {
  type    = "cache"
  driver  = "redis"
  url     = env("REDIS_URL", "redis://localhost:6379")
  prefix  = env("PREFIX", "counters")
  timeout = "1s"

  # A caller may try a code five times in ten minutes.
  operation "attempts" {
    key_pattern = "attempts:{phone}"
    command     = "increment"
    ttl         = "10m"
  }

  # The same entry under its other commands: a value in a key is escaped, so that a key is best written once as a pattern.
  operation "attempts_end" {
    key_pattern = "attempts:{phone}"
    command     = "ttl"
  }

  operation "forget_attempts" {
    key_pattern = "attempts:{phone}"
    command     = "delete"
  }

  # Visits of a page on a day, kept for a month.
  operation "visits" {
    key_pattern = "visits:{page}:{day}"
    command     = "increment"
    ttl         = "720h"
  }

  operation "visits_until_now" {
    key_pattern = "visits:{page}:{day}"
    command     = "get"
  }

  # The basket of a customer, for an hour after its last change.
  operation "basket" {
    key_pattern = "basket:{customer}"
    ttl         = "1h"
  }
}
