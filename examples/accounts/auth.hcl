auth {
  preset   = "standard"
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

  hooks {
    on_password_reset {
      flow = flow.send_reset_link
    }
  }
}
