service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "cache" {
  type      = "cache"
  driver    = "memory"
  max_items = 10000
}

flow "product" {
  from {
    connector = "api"
    operation = "GET /products/:id"
  }
  cache {
    storage = "cache"
    ttl     = "10m"
    key     = "product:${input.id}"
  }
  response {
    message = "'hello'"
    ok      = "true"
  }
}
