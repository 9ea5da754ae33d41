connector "cache" {
  type    = "cache"
  driver  = "redis"
  url     = env("CACHE_URL", "redis://localhost:6379")
  prefix  = env("CACHE_PREFIX", "scenario")
  timeout = "500ms"
}
