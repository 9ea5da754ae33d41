service {
  name       = "gateway"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "catalog" {
  type         = "http"
  base_url     = env("CATALOG_URL", "http://localhost:4001/v1")
  timeout      = "2s"
  max_response = "64KB"
  headers      = { "X-Team" = "gateway" }

  retry {
    attempts = 3
    delay    = "20ms"
  }

  operation "product" {
    method = "GET"
    path   = "/products/:id"
  }

  operation "brief" {
    method  = "GET"
    path    = "/slow"
    timeout = "300ms"
  }
}

connector "protected" {
  type     = "http"
  base_url = env("PROTECTED_URL", "http://localhost:4002")

  auth {
    type          = "client_credentials"
    token_url     = env("TOKEN_URL", "http://localhost:4003/token")
    client_id     = "gateway"
    client_secret = env("CLIENT_SECRET", "s3cret")
    scopes        = ["read", "write"]
  }
}

connector "prices" {
  select   = "input.region ?? 'live'"
  default  = "live"
  fallback = ["live", "archive"]

  profile "live" {
    type     = "http"
    base_url = env("LIVE_URL", "http://localhost:4004")
    timeout  = "300ms"
  }

  profile "archive" {
    type     = "http"
    base_url = env("ARCHIVE_URL", "http://localhost:4005")

    transform {
      amount = "input.value"
      from   = "'archive'"
    }
  }

  profile "east" {
    type     = "http"
    base_url = env("EAST_URL", "http://localhost:4006")
  }
}
