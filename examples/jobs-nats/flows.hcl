flow "add" {
  from {
    connector = "api"
    operation = "POST /jobs/:kind"
  }
  transform {
    id   = "uuid()"
    kind = "input.kind"
    text = "input.text"
  }
  to {
    connector = "jobs"
    target    = "env('SUBJECT', 'jobs') + '.' + output.kind"
    params    = { message_id = "output.id" }
  }
}

flow "shout" {
  from {
    connector = "jobs"
    operation = "*.shout"
  }
  transform {
    id     = "input.body.id"
    result = "input.body.text.upperAscii()"
  }
  to {
    connector = "db"
    target    = "results"
    operation = "UPSERT"
    conflict  = ["id"]
  }
}

flow "results" {
  from {
    connector = "api"
    operation = "GET /results"
  }
  to {
    connector = "db"
    query     = "SELECT result FROM results ORDER BY result"
  }
}
