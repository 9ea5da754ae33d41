flow "visit" {
  from {
    connector = "api"
    operation = "POST /visits/:page/:day"
  }

  step "count" {
    connector = "counters"
    operation = "visits"
    params    = { page = "input.page", day = "input.day" }
  }

  response {
    visits = "step.count"
  }
}

# A page that no one visited has no entry: its number is the default.
flow "visits" {
  from {
    connector = "api"
    operation = "GET /visits/:page/:day"
  }

  step "count" {
    connector = "counters"
    operation = "visits_until_now"
    params    = { page = "input.page", day = "input.day" }
    default   = 0
  }

  response {
    visits = "step.count"
  }
}
