connector "cache" {
  type    = "cache"
  driver  = "redis"
  mode    = "sentinel"
  timeout = "2s"

  sentinel {
    master_name     = "main"
    nodes           = [env("NODE_1"), env("NODE_2")]
    master_password = "geheim"
  }

  memory {
    ttl = "10m"
  }
}
