flow "limited" {
  from {
    connector = "api"
    operation = "GET /limited"
  }

  response {
    ok = "true"
  }
}

flow "echo" {
  from {
    connector = "api"
    operation = "POST /free/echo"
  }

  response {
    size = "size(input.text ?? '')"
  }
}

flow "slow" {
  from {
    connector = "api"
    operation = "GET /free/slow"
  }

  step "remote" {
    connector = "remote"
    operation = "GET /slow"
  }
}

flow "too_slow" {
  from {
    connector = "hasty"
    operation = "GET /free/slow"
  }

  step "remote" {
    connector = "remote"
    operation = "GET /slow"
  }
}
