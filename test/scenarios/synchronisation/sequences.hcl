# The other service is sent every revision that is newer than the last one.
flow "revise" {
  from {
    connector = "api"
    operation = "PUT /revisions/:name"
  }

  lock {
    use     = lock.row
    timeout = "30s"
  }

  sequence_guard {
    key      = "'${env("TABLE", "counters")}:' + input.name"
    sequence = "input.revision"
    ttl      = "10m"

    storage {
      driver = "redis"
      url    = env("LOCK_URL", "redis://localhost:6379")
    }
  }

  to {
    connector = "remote"
    operation = "POST /revisions"
  }
}
