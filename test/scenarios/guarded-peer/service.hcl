service {
  name       = "guarded-peer"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  port = env("PORT")
}

connector "recent" {
  type   = "cache"
  driver = "memory"
}

connector "shop" {
  type     = "http"
  base_url = env("SHOP_URL")
  health   = "optional"

  auth {
    type          = "client_credentials"
    token_url     = "${env("SHOP_URL")}/token"
    client_id     = "guarded"
    client_secret = env("SHOP_SECRET")
  }

  circuit_breaker {
    failures = 2
    window   = "1m"
    open     = "1h"
  }

  hedge {
    after = "100ms"
  }

  cache {
    storage = "recent"
  }

  operation "prices" {
    method = "GET"
    path   = "/prices"
  }
}
