service {
  name       = "hooks"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  port = env("PORT")
}

auth {
  preset = "development"

  jwt {
    secret = "the secret of this scenario, 32 bytes and more"
  }

  password {
    memory     = 19456
    iterations = 1
  }

  hooks {
    before_login {
      flow     = flow.look
      on_error = "fail"
    }
    after_login {
      flow = flow.greet
    }
    on_password_reset {
      flow = flow.send_link
    }
  }
}

# Refuses addresses of one domain.
flow "look" {
  transform {
    email   = "auth.email"
    refused = "auth.email.endsWith('@refused.test') ? 1 / 0 : 0"
  }
}

flow "greet" {
  transform {
    hello = "'hello ' + auth.email"
  }
}

flow "send_link" {
  transform {
    to = "auth.email"
  }
}

flow "profile" {
  from {
    connector = connector.api
    operation = "GET /profile"
  }
  response {
    email = "auth.email"
  }
}
