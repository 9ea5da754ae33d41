auth {
  preset   = "standard"
  base_url = env("PUBLIC_URL", "http://localhost:${env("PORT", "3000")}")

  # The default is for this machine. Outside development a secret of your own is needed.
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

  hooks {
    after_register {
      flow = flow.welcome
    }
  }
}
