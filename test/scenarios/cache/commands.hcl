flow "sign_in" {
  from {
    connector = "api"
    operation = "POST /sessions"
  }
  transform {
    user_id = "input.user_id"
    role    = "input.role"
  }
  to {
    connector = "cache"
    operation = "session"
  }
}

flow "session" {
  from {
    connector = "api"
    operation = "GET /sessions/:user_id"
  }
  to {
    connector = "cache"
    operation = "session"
  }
}

flow "sign_out" {
  from {
    connector = "api"
    operation = "DELETE /sessions/:user_id"
  }
  to {
    connector = "cache"
    operation = "session"
  }
}

flow "visit" {
  from {
    connector = "api"
    operation = "POST /visits/:page"
  }
  step "count" {
    connector = "cache"
    operation = "visits"
    params    = { page = "input.page", limit = 3 }
  }
  step "left" {
    connector = "cache"
    operation = "ttl"
    params    = { key = "'visits:' + input.page" }
  }
  response {
    count   = "step.count.value"
    allowed = "step.count.allowed"
    expires = "step.left > 7000 && step.left <= 7200"
  }
}

flow "note" {
  from {
    connector = "api"
    operation = "PUT /notes/:id"
  }
  step "kept" {
    connector = "cache"
    operation = "set"
    target    = "'note:' + input.id"
    params    = { value = "input.text", ttl = "1m" }
  }
  response {
    affected = "step.kept.affected"
  }
}

flow "read_note" {
  from {
    connector = "api"
    operation = "GET /notes/:id"
  }
  step "note" {
    connector = "cache"
    operation = "get"
    params    = { key = "'note:' + input.id" }
    default   = "none"
  }
  step "there" {
    connector = "cache"
    operation = "exists"
    params    = { key = "'note:' + input.id" }
  }
  response {
    note  = "step.note"
    there = "step.there"
  }
}
