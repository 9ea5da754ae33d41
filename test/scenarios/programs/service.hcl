service {
  name       = "programs-everywhere"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  port = env("PORT")
}

# Prints each of its arguments between brackets.
connector "args" {
  type          = "exec"
  command       = "printf"
  args          = ["[%s]"]
  input_format  = "args"
  output_format = "text"

  operation "sized" {
    args = ["(%s)"]
    param "size" {
      type     = "integer"
      required = true
      max      = 100
    }
  }
}

# Prints what it reads.
connector "echo" {
  type    = "exec"
  command = "cat"

  operation "plain" {
    description = "What it is given."
  }
}

connector "shell" {
  type       = "exec"
  command    = "sh"
  args       = ["-c"]
  timeout    = "10s"
  kill_after = "100ms"
}

connector "log" {
  type    = "exec"
  command = "cat >> log; echo >> log"
  shell   = true
}

connector "rows" {
  type   = "database"
  driver = "sqlite"
  database = ":memory:"
}

flow "read" {
  from {
    connector = "api"
    operation = "GET /read/:id"
  }
  to {
    connector = "echo"
  }
}

flow "arguments" {
  from {
    connector = "api"
    operation = "GET /arguments/:name"
  }
  to {
    connector = "args"
  }
}

flow "undeclared" {
  from {
    connector = "api"
    operation = "POST /undeclared"
  }
  to {
    connector = "args"
  }
}

flow "declared" {
  from {
    connector = "api"
    operation = "POST /declared"
  }
  transform {
    title = "input.title"
  }
  to {
    connector = "args"
    target    = "input.target"
  }
}

flow "sized" {
  from {
    connector = "api"
    operation = "POST /sized"
  }
  step "made" {
    connector = "args"
    operation = "sized"
    params    = { size = "input.size" }
  }
  response {
    made = "step.made.output"
  }
}

flow "bare" {
  from {
    connector = "api"
    operation = "GET /bare"
  }
  step "made" {
    connector = "echo"
    body      = { a = 1 }
  }
  enrich "more" {
    connector = "args"
    operation = "sub"
    args      = ["x", "step.made.a"]
  }
  enrich "read" {
    connector = "echo"
    operation = "plain"
    stdin     = "step.made.a"
  }
  transform {
    made = "step.made"
    more = "enriched.more.output"
    read = "enriched.read.value"
  }
}

flow "fails" {
  from {
    connector = "api"
    operation = "GET /fails"
  }
  step "made" {
    connector = "shell"
    operation = "echo 'secret path /srv/x' >&2; exit 4"
  }
}

flow "hangs" {
  from {
    connector = "api"
    operation = "POST /hangs"
  }
  step "made" {
    connector = "shell"
    operation = "sh -c 'echo $$ > inner; sleep 1000' & echo $$ > outer; wait"
  }
}

flow "batch" {
  from {
    connector = "api"
    operation = "POST /batch"
  }
  batch {
    source = "rows"
    query  = "SELECT 1 AS n UNION ALL SELECT 2 ORDER BY n"
    transform {
      n = "input.n"
    }
    to {
      connector = "log"
    }
  }
}

flow "audited" {
  from {
    connector = "api"
    operation = "POST /audited"
  }
  response {
    ok = "true"
  }
}

flow "spoken" {
  from {
    connector = "api"
    operation = "POST /spoken"
  }
  to {
    connector = "shell"
    args      = ["printf '%s ' \"$0\"; cat", "input.word"]
    stdin     = "input.text"
  }
}

aspect "spoken_audit" {
  on   = ["spoken"]
  when = "after"
  action {
    connector = "shell"
    operation = "execute"
    args      = ["cat > \"$0\"", "input.word"]
    stdin     = "input.text"
  }
}

aspect "audit" {
  on   = ["audited"]
  when = "after"
  action {
    connector = "log"
    operation = "execute"
    transform {
      audited = "input.who"
    }
  }
}
