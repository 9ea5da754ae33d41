# For every account that is signed in.
flow "profile" {
  from {
    connector = connector.api
    operation = "GET /profile"
  }
  require {}
  response {
    hello = "auth.email"
    roles = "auth.roles"
  }
}

# For administrators.
flow "list_accounts" {
  from {
    connector = connector.api
    operation = "GET /accounts"
  }
  require {
    roles = ["admin"]
  }
  to {
    connector = connector.db
    query     = "SELECT email, roles, created_at FROM users ORDER BY email LIMIT 100"
  }
}

# For those who have proved a second factor within the last quarter of an hour: else 403 mfa_step_up_required.
flow "export_account" {
  from {
    connector = connector.api
    operation = "GET /export"
  }
  require {
    mfa = "15m"
  }
  response {
    email = "auth.email"
    roles = "auth.roles"
  }
}

# The hook on_password_reset runs it. Nothing waits for it.
flow "send_reset_link" {
  transform {
    to       = "input.auth.email"
    subject  = "'Set a new password'"
    textBody = "'A new password was asked for. Set it here: ' + input.auth.reset_url"
  }
  to {
    connector = connector.mailer
    operation = "send"
  }
}
