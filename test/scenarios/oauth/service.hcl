service {
  name       = "oauth"
  version    = "1.0.0"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  port = env("PORT")
  auth {
    type  = "basic"
    users = { ana = "password of ana", ben = "password of ben" }
  }
}

connector "shared" {
  type   = "cache"
  driver = "redis"
  url    = env("REDIS")
}

connector "company" {
  type          = "oauth"
  driver        = "oidc"
  issuer        = env("COMPANY_ISSUER")
  client_id     = "app"
  client_secret = env("COMPANY_SECRET")
  redirect_uri  = "https://shop.example.test/callback"
  storage       = "shared"
  health        = "optional"
}

# The same provider, without a document: what begins is in the memory of the process.
connector "plain" {
  type          = "oauth"
  driver        = "custom"
  name          = "plain"
  auth_url      = env("OTHER_AUTH_URL")
  token_url     = env("OTHER_TOKEN_URL")
  userinfo_url  = env("OTHER_USERINFO_URL")
  client_id     = "app"
  client_secret = "secret of app"
  redirect_uri  = "https://shop.example.test/plain/callback"
  timeout       = "2s"
  health        = "optional"
}
