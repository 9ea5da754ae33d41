flow "locked" {
  from {
    connector = "orders"
    operation = "locked"
  }

  lock {
    key     = "'${env("QUEUE", "orders.in")}'"
    timeout = "2m"

    storage {
      driver = "redis"
      url    = env("REDIS_URL", "redis://localhost:6379")
    }
  }

  transform {
    n = "input.body.n"
  }

  to {
    connector = "stock"
    target    = "/locked"
  }

  # What is given up is not a failure of the flow.
  error_handling {
    on_timeout {
      action = "ack"
    }

    on_error {
      action = "ack"
    }
  }
}

flow "permitted" {
  from {
    connector = "orders"
    operation = "permitted"
  }

  semaphore {
    key         = "'${env("QUEUE", "orders.in")}'"
    max_permits = 1
    timeout     = "2m"

    storage {
      driver = "redis"
      url    = env("REDIS_URL", "redis://localhost:6379")
    }
  }

  transform {
    n = "input.body.n"
  }

  to {
    connector = "stock"
    target    = "/permitted"
  }
}

flow "signalled" {
  from {
    connector = "orders"
    operation = "signalled"
  }

  coordinate {
    timeout    = "2m"
    on_timeout = "ack"

    wait {
      when = "true"
      for  = "'${env("QUEUE", "orders.in")}'"
    }

    storage {
      driver = "redis"
      url    = env("REDIS_URL", "redis://localhost:6379")
    }
  }

  transform {
    n = "input.body.n"
  }

  to {
    connector = "stock"
    target    = "/signalled"
  }
}

# A caller waits as long as the service may take to stop.
flow "asked" {
  from {
    connector = "api"
    operation = "POST /asked"
  }

  lock {
    key     = "'${env("QUEUE", "orders.in")}'"
    timeout = "2m"

    storage {
      driver = "redis"
      url    = env("REDIS_URL", "redis://localhost:6379")
    }
  }

  response {
    done = "true"
  }
}
