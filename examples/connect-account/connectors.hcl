# Who asks is known by name and password. Browsers send them again when the provider sends them back.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")

  auth {
    type = "basic"
    users = {
      ana = env("ANA_PASSWORD", "only-for-this-machine")
      ben = env("BEN_PASSWORD", "only-for-this-machine")
    }
  }
}

# Where the tokens are kept. Anyone who reads the file can act for all who are connected.
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "connections.db")
}

# Keeps what has begun until the browser comes back. Several processes need a cache that all of them see.
connector "begun" {
  type        = "cache"
  driver      = "memory"
  max_items   = 10000
  default_ttl = "10m"
}

# The defaults are those of the provider that `npm run provider` starts. The service starts without it as well.
connector "company" {
  type          = "oauth"
  driver        = "oidc"
  name          = "company"
  issuer        = env("ISSUER", "http://localhost:9000")
  client_id     = env("CLIENT_ID", "connect-account")
  client_secret = env("CLIENT_SECRET", "only-for-this-machine")
  redirect_uri  = env("REDIRECT_URI", "http://localhost:3000/callback")
  scopes        = ["openid", "email", "profile", "offline_access"]
  storage       = "begun"
  health        = "optional"
}
