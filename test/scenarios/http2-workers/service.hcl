service {
  name       = "multiplexed"
  admin_port = env("ADMIN_PORT", "9090")

  shutdown {
    delay   = env("STOP_DELAY", "0s")
    timeout = "20s"
  }
}

connector "api" {
  type          = "rest"
  port          = env("PORT", "3000")
  http2         = true
  server_timing = true
}

connector "remote" {
  type     = "http"
  base_url = env("REMOTE_URL", "http://localhost:4000")
}

flow "count" {
  from {
    connector = "api"
    operation = "POST /count"
  }

  to {
    connector = "remote"
    operation = "POST /count"
  }
}

flow "slow" {
  from {
    connector = "api"
    operation = "GET /slow"
  }

  step "remote" {
    connector = "remote"
    operation = "GET /slow"
  }

  transform {
    done = "step.remote.done"
  }
}

flow "broken" {
  from {
    connector = "api"
    operation = "GET /broken"
  }

  step "remote" {
    connector = "remote"
    operation = "GET /broken"
  }
}
