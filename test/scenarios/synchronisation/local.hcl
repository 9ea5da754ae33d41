flow "local" {
  from {
    connector = "api"
    operation = "POST /local"
  }

  lock {
    key  = "local"
    wait = false
  }

  step "remote" {
    connector = "remote"
    operation = "GET /slow/local"
  }

  transform {
    version = "'1'"
  }
}
