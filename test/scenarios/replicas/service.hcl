service {
  name       = "replica"
  admin_port = env("ADMIN_PORT", "9090")

  rate_limit {
    requests_per_second = 25
    burst               = 10
    key_extractor       = "header:X-Client"
    exclude_paths       = ["/health", "/metrics", "/slow", "/things"]
    storage             = "shared"
  }
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "shared" {
  type   = "cache"
  driver = "redis"
  url    = env("CACHE_URL")
  prefix = env("CACHE_PREFIX")
}

connector "remote" {
  type     = "http"
  base_url = env("REMOTE_URL", "http://127.0.0.1:1")
}

flow "limited" {
  from {
    connector = "api"
    operation = "GET /limited"
  }

  response {
    ok = "true"
  }
}

flow "slow" {
  from {
    connector = "api"
    operation = "GET /slow/:id"
  }

  cache {
    storage = "shared"
    ttl     = "1h"
    key     = "slow:${input.id}"
  }

  to {
    connector = "remote"
    operation = "GET /things/:id"
  }
}

flow "change" {
  from {
    connector = "api"
    operation = "POST /things"
  }

  to {
    connector = "remote"
    operation = "POST /things"
  }

  after {
    invalidate {
      storage = "shared"
      keys    = ["slow:${input.id}"]
    }
  }
}
