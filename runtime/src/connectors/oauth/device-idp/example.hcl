# A shop connects accounts at the device maker, whose answer is a form that is posted.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "devices" {
  type         = "oauth"
  driver       = "device_idp"
  client_id    = "test.example.shop"
  team_id      = env("DEVICE_TEAM", "TEAM")
  key_id       = env("DEVICE_KEY_ID", "KEY")
  private_key  = env("DEVICE_KEY", "-----BEGIN PRIVATE KEY-----")
  redirect_uri = env("REDIRECT_URI", "https://shop.example.test/devices/callback")
}

flow "connect" {
  from {
    connector = "api"
    operation = "GET /devices/connect"
  }
  to {
    connector = "devices"
    operation = "authorize"
  }
  response {
    http_status_code = "302"
    headers {
      location = "output.auth_url"
    }
  }
}

flow "connected" {
  from {
    connector = "api"
    operation = "POST /devices/callback"
  }
  to {
    connector = "devices"
    operation = "callback"
  }
  response {
    provider_id = "output.provider_id"
    email       = "output.email"
  }
}
