auth {
  preset = "standard"
  # Where browsers see the page: passkeys are made for its host, and identity providers send browsers back to it.
  base_url = env("PUBLIC_URL", "http://localhost:3000")
  roles    = { admin = ["accounts:*"] }

  # The default is for a try on this machine. Outside development a secret of your own is needed.
  jwt {
    secret = env("JWT_SECRET", "only-for-this-machine-32-bytes-long")
  }

  users {
    connector = connector.db
    fields {
      roles               = "roles"
      password_changed_at = "password_changed_at"
    }
  }

  # Who wants to, enrols passkeys or an authenticator app; administrators have to within a week.
  mfa {
    required     = "admin_only"
    grace_period = "7d"
    totp {
      issuer = "Accounts"
    }
  }

  # The defaults are those of the provider that `npm run provider` starts. The service starts without it as well.
  oidc "local" {
    issuer        = env("ISSUER", "http://localhost:9000")
    client_id     = env("CLIENT_ID", "accounts")
    client_secret = env("CLIENT_SECRET", "only-for-this-machine")
  }

  hooks {
    on_password_reset {
      flow = flow.send_reset_link
    }
  }
}
