lock "row" {
  key     = "'${env("TABLE", "counters")}:' + input.name"
  timeout = "2s"
  retry   = "10ms"

  storage {
    driver = "redis"
    url    = env("LOCK_URL", "redis://localhost:6379")
  }
}

# Reads, then writes what it has read and one more: two at a time lose one.
flow "count" {
  from {
    connector = "api"
    operation = "POST /count/:name"
  }

  lock {
    use     = lock.row
    timeout = "30s"
  }

  step "row" {
    connector = "db"
    query     = "SELECT n FROM ${env("TABLE", "counters")} WHERE name = :name"
    params    = { name = "input.name" }
  }

  transform {
    name = "input.name"
    n    = "step.row.n + 1"
  }

  to {
    connector = "db"
    query     = "UPDATE ${env("TABLE", "counters")} SET n = :n WHERE name = :name"
  }
}

# Writes under a lock that it may lose while the other service takes its time.
flow "fenced" {
  from {
    connector = "api"
    operation = "POST /fenced/:name/:by"
  }

  lock {
    use = lock.row
  }

  step "remote" {
    connector = "remote"
    operation = "GET /slow/:by"
    params    = { by = "input.by" }
  }

  transform {
    name  = "input.name"
    by    = "input.by"
    fence = "lock.token"
  }

  to {
    connector = "db"
    query     = "UPDATE ${env("TABLE", "counters")} SET n = n + 1, author = :by, fence = :fence WHERE name = :name AND fence < :fence"
  }

  response {
    written = "output.affected"
  }
}

flow "sink" {
  from {
    connector = "api"
    operation = "POST /sink"
  }

  semaphore {
    key         = "'${env("TABLE", "counters")}'"
    max_permits = 5
    lease       = "2s"

    storage {
      driver = "redis"
      url    = env("LOCK_URL", "redis://localhost:6379")
    }
  }

  step "remote" {
    connector = "remote"
    operation = "GET /sink"
  }

  transform {
    done = "step.remote.done"
  }
}
