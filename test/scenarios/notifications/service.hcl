service {
  name       = "notifications"
  admin_port = env("ADMIN_PORT", "9090")

  shutdown {
    timeout = "10s"
  }
}

connector "api" {
  type    = "rest"
  port    = env("PORT", "3000")
  timeout = "10s"
}

connector "community" {
  type       = "discord"
  bot_token  = env("DISCORD_TOKEN", "token")
  api_url    = env("DISCORD_URL", "http://localhost:8090")
  channel_id = "11"
}

# What is written within an hour goes out as one message, or when the service stops.
connector "team" {
  type    = "slack"
  token   = env("SLACK_TOKEN", "xoxb-token")
  api_url = env("SLACK_URL", "http://localhost:8091")
  channel = "#orders"

  batch {
    window   = "1h"
    max_size = 4
    summary  = "string(count) + ' orders: ' + messages.map(m, m.text).join(', ')"
  }
}

# Failures are reported at once.
connector "watch" {
  type        = "slack"
  webhook_url = env("SLACK_HOOK", "http://localhost:8091/services/T1/B1/hook")

  batch {
    enabled = false
  }
}

connector "texts" {
  type        = "sms"
  driver      = "twilio"
  account_sid = "AC00000000000000000000000000000005"
  auth_token  = env("TWILIO_TOKEN", "token")
  from        = "+15005550006"
  api_url     = env("TWILIO_URL", "http://localhost:8092")
}

connector "codes" {
  type              = "sms"
  driver            = "sns"
  region            = "eu-central-1"
  access_key_id     = env("SNS_KEY", "key")
  secret_access_key = env("SNS_SECRET", "secret")
  api_url           = env("SNS_URL", "http://localhost:8093")
}

connector "apps" {
  type                 = "push"
  driver               = "fcm"
  service_account_json = env("FIREBASE_KEY", "./firebase.json")
  api_url              = env("FIREBASE_URL", "http://localhost:8094")
}

connector "phones" {
  type        = "push"
  driver      = "apns"
  team_id     = "TEAM123456"
  key_id      = "KEY1234567"
  private_key = env("APPLE_KEY", "./apns.p8")
  bundle_id   = "org.example.shop"
  api_url     = env("APPLE_URL", "http://localhost:8095")
}

connector "stock" {
  type     = "http"
  base_url = env("STOCK_URL", "http://localhost:8096")
}
