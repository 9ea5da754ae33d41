flow "slow" {
  from {
    connector = "api"
    operation = "GET /slow/:name"
  }

  step "remote" {
    connector = "remote"
    operation = "GET /slow/:name"
    params    = { name = "input.name" }
  }

  transform {
    remote = "step.remote.done"
    by     = "'first'"
  }
}
