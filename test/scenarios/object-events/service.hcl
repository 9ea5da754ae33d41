service {
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT")
}

# Events as the store sends them.
connector "events" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("BROKER_URL")

  consumer {
    queue = env("EVENTS")
  }
}

# The same within notifications, as a text.
connector "notifications" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("BROKER_URL")

  consumer {
    queue = env("NOTIFICATIONS")
  }
}

connector "uploads" {
  type       = "object_store"
  bucket     = "box"
  region     = env("S3_REGION")
  endpoint   = env("S3_ENDPOINT")
  access_key = env("S3_ACCESS_KEY")
  secret_key = env("S3_SECRET_KEY")

  retry {
    delay = "1ms"
  }
}

connector "stock" {
  type     = "http"
  base_url = env("STOCK_URL")
}
