service {
  name       = "repeated-messages"
  admin_port = env("ADMIN_PORT", "9090")

  shutdown {
    timeout = "20s"
  }
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")

  auth {
    type   = "basic"
    public = ["/payments", "/offers"]
    users  = { ann = "a", bob = "b" }
  }
}

connector "prices" {
  type            = "mq"
  driver          = "rabbitmq"
  url             = env("BROKER_URL", "amqp://localhost")
  reconnect_delay = "300ms"

  consumer {
    queue    = env("QUEUE", "prices.in")
    prefetch = 5
  }
}

connector "cache" {
  type    = "cache"
  driver  = "redis"
  url     = env("CACHE_URL", "redis://localhost:6379")
  prefix  = env("CACHE_PREFIX", "scenario")
  timeout = "500ms"
}

connector "shop" {
  type     = "http"
  base_url = env("SHOP_URL", "http://localhost:4001")
}
