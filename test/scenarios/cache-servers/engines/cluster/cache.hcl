connector "cache" {
  type    = "cache"
  driver  = "redis"
  mode    = "cluster"
  timeout = "2s"

  cluster {
    nodes = [env("NODE_1"), env("NODE_2")]
  }

  memory {
    ttl = "10m"
  }
}
