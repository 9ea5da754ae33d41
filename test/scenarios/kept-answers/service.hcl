service {
  name       = "kept"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "own" {
  type   = "cache"
  driver = "memory"
}

connector "common" {
  type   = "cache"
  driver = "redis"
  url    = env("REDIS_URL", "redis://127.0.0.1:6379/0")
  prefix = env("PREFIX", "kept")
}

flow "order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  cache {
    storage = "own"
    key     = "order:${input.id}"
  }
  response {
    id = "input.id"
  }
}

flow "item" {
  from {
    connector = "api"
    operation = "GET /items/:id"
  }
  cache {
    storage = "common"
    ttl     = "10m"
    key     = "item:${input.id}"
  }
  response {
    id = "input.id"
  }
}
