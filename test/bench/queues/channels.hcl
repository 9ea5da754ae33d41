connector "orders" {
  type     = "mq"
  driver   = "redis"
  url      = env("REDIS_URL", "redis://localhost:6379")
  channels = [env("CHANNEL", "orders")]
  prefetch = 65535
  workers  = 50
}
