# The sixth attempt within ten minutes is refused: nothing is added beyond the limit, whichever process is asked.
flow "try_code" {
  from {
    connector = "api"
    operation = "POST /codes/:phone"
  }

  step "attempt" {
    connector = "counters"
    operation = "attempts"
    params    = { phone = "input.phone", limit = 5 }
  }

  step "rest" {
    connector = "counters"
    operation = "attempts_end"
    params    = { phone = "input.phone" }
  }

  response {
    http_status_code = "step.attempt.allowed ? '200' : '429'"
    allowed          = "step.attempt.allowed"
    left             = "5 - step.attempt.value"
    wait_seconds     = "step.attempt.allowed ? 0 : step.rest"
  }
}

flow "forget_attempts" {
  from {
    connector = "api"
    operation = "DELETE /codes/:phone"
  }

  step "forgotten" {
    connector = "counters"
    operation = "forget_attempts"
    params    = { phone = "input.phone" }
  }

  response {
    forgotten = "step.forgotten.affected > 0"
  }
}
