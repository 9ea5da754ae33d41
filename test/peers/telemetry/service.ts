/** A service with one call below its flow, and one that fails. */
export const traced = {
  'service.hcl': `service {
  name       = "traced"
  version    = "1.2.3"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  port = env("PORT")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "traced.db"
}

flow "count" {
  from {
    connector = "api"
    operation = "GET /count/:name"
  }
  step "counted" {
    connector = "db"
    query     = "SELECT length(:name) AS letters"
    params    = { name = "input.name" }
  }
  response {
    letters = "step.counted.letters"
  }
}

flow "fail" {
  from {
    connector = "api"
    operation = "GET /fail"
  }
  step "broken" {
    connector = "db"
    query     = "SELECT * FROM nowhere"
  }
}
`,
};
