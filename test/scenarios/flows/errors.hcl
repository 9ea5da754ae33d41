flow "retried" {
  from {
    connector = "api"
    operation = "GET /retried"
  }

  step "remote" {
    connector = "remote"
    operation = "GET /flaky"
  }

  error_handling {
    retry {
      attempts = 3
      delay    = "20ms"
      backoff  = "exponential"
    }
  }
}

flow "retried_named" {
  from {
    connector = "api"
    operation = "GET /retried-named"
  }

  step "remote" {
    connector = "remote"
    operation = "GET /flaky"
  }

  error_handling {
    use = "error_handling.persistent"
    retry {
      use      = "retry.quick"
      attempts = 4
    }
  }
}

retry "quick" {
  attempts = 2
  delay    = "5ms"
}

error_handling "persistent" {
  error_response {
    status  = 503
    headers = { "X-Kind" = "remote" }
    body {
      message = "'try later'"
      cause   = "error.message"
      code    = "error.code"
      type    = "error.type"
    }
  }
}

flow "parked" {
  from {
    connector = "api"
    operation = "POST /parked"
  }

  to {
    connector = "remote"
    operation = "POST /jobs"
  }

  error_handling {
    fallback {
      connector     = "db"
      target        = "failed"
      include_error = true
    }
  }
}

flow "parked_shaped" {
  from {
    connector = "api"
    operation = "POST /parked-shaped"
  }

  to {
    connector = "remote"
    operation = "POST /jobs"
  }

  error_handling {
    fallback {
      connector = "db"
      target    = "failed_shaped"
      transform {
        name = "input.name"
        why  = "error.type"
      }
    }
    error_response {
      status = 502
      body {
        parked = "true"
        name   = "input.name"
      }
    }
  }
}

flow "failed" {
  from {
    connector = "api"
    operation = "GET /failed"
  }

  to {
    connector = "db"
    query     = "SELECT original_input, error FROM failed ORDER BY id"
  }
}

flow "failed_shaped" {
  from {
    connector = "api"
    operation = "GET /failed-shaped"
  }

  to {
    connector = "db"
    query     = "SELECT name, why FROM failed_shaped ORDER BY id"
  }
}

flow "invalid_shaped" {
  from {
    connector = "api"
    operation = "POST /invalid-shaped"
  }

  validate {
    input = "new_item"
  }

  response {
    ok = "true"
  }

  error_handling {
    error_response {
      status = 422
      body {
        type  = "error.type"
        first = "error.fields[0].field"
      }
    }
  }
}
