service {
  name       = "cache-servers"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

flow "keep" {
  from {
    connector = "api"
    operation = "PUT /entries/:id"
  }
  step "kept" {
    connector = "cache"
    operation = "set"
    params    = { key = "input.id", value = "input.value" }
  }
  response {
    kept = "step.kept.affected"
  }
}

flow "entry" {
  from {
    connector = "api"
    operation = "GET /entries/:id"
  }
  step "found" {
    connector = "cache"
    operation = "get"
    params    = { key = "input.id" }
    default   = "none"
  }
  response {
    value = "step.found"
  }
}

flow "drop" {
  from {
    connector = "api"
    operation = "DELETE /entries/:id"
  }
  step "dropped" {
    connector = "cache"
    operation = "delete"
    params    = { key = "input.id" }
  }
  response {
    dropped = "step.dropped.affected"
  }
}

flow "count" {
  from {
    connector = "api"
    operation = "POST /counters/:id"
  }
  step "counted" {
    connector = "cache"
    operation = "increment"
    params    = { key = "'count:' + input.id", limit = 50, ttl = "1h" }
  }
  response {
    value   = "step.counted.value"
    allowed = "step.counted.allowed"
  }
}
