coordinate "ready" {
  storage {
    driver = "redis"
    url    = env("LOCK_URL", "redis://localhost:6379")
  }
}

flow "wait" {
  from {
    connector = "api"
    operation = "POST /wait/:name"
  }

  coordinate {
    use     = coordinate.ready
    timeout = "20s"

    wait {
      when = "true"
      for  = "'${env("TABLE", "counters")}:' + input.name"
    }
  }

  response {
    went = "input.name"
  }
}

# Its timeout is short, and it can be asked for a preflight.
flow "look" {
  from {
    connector = "api"
    operation = "POST /look/:name"
  }

  coordinate {
    use        = coordinate.ready
    timeout    = "300ms"
    on_timeout = "ack"

    preflight {
      connector = "db"
      query     = "SELECT 1 FROM ${env("TABLE", "counters")} WHERE name = :name"
      params    = { name = "input.name" }
    }

    wait {
      when = "true"
      for  = "'${env("TABLE", "counters")}:' + input.name"
    }
  }

  response {
    went = "input.name"
  }
}

flow "signal" {
  from {
    connector = "api"
    operation = "POST /signal/:name"
  }

  coordinate {
    use = coordinate.ready

    signal {
      when = "output.done"
      emit = "'${env("TABLE", "counters")}:' + input.name"
      ttl  = "1m"
    }
  }

  step "remote" {
    connector = "remote"
    operation = "GET /signal"
  }

  transform {
    done = "step.remote.done"
  }
}
