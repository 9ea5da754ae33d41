flow "filtered" {
  from {
    connector = "api"
    operation = "POST /gates/filter"
    filter    = "input.kind == 'order'"
  }

  response {
    passed = "true"
  }
}

flow "filtered_block" {
  from {
    connector = "api"
    operation = "POST /gates/filter-block"

    filter {
      condition = "input.total > 10"
      on_reject = "reject"
    }
  }

  response {
    passed = "true"
  }
}

flow "accepted" {
  from {
    connector = "api"
    operation = "POST /gates/accept"
  }

  accept {
    when = "input.total > 0"
  }

  response {
    passed = "true"
  }
}

flow "accepted_caller" {
  from {
    connector = "staff"
    operation = "POST /gates/own"
  }

  accept {
    when = "input.owner == auth.user_id"
  }

  response {
    passed = "true"
  }
}

flow "required_role" {
  from {
    connector = "staff"
    operation = "POST /gates/role"
  }

  require {
    roles = ["admin", "owner"]
  }

  validate {
    input = "item"
  }

  response {
    passed = "true"
  }
}

flow "required_permissions" {
  from {
    connector = "staff"
    operation = "POST /gates/permission"
  }

  require {
    permissions = ["items:read", "items:write"]
  }

  response {
    passed = "true"
  }
}

# No caller can be signed in here.
flow "required_open" {
  from {
    connector = "api"
    operation = "POST /gates/require"
  }

  require {
  }

  response {
    passed = "true"
  }
}

# Gates that give no yes or no.
flow "filter_undecided" {
  from {
    connector = "api"
    operation = "POST /gates/undecided/filter"
    filter    = "input.kind"
  }

  response {
    passed = "true"
  }
}

flow "accept_undecided" {
  from {
    connector = "api"
    operation = "POST /gates/undecided/accept"
  }

  accept {
    when = "input.limits.highest > 3"
  }

  response {
    passed = "true"
  }
}

flow "validator_undecided" {
  from {
    connector = "api"
    operation = "POST /gates/undecided/validate"
  }

  validate {
    input = "shaky"
  }

  response {
    passed = "true"
  }
}

flow "when_undecided" {
  from {
    connector = "api"
    operation = "POST /gates/undecided/when"
  }

  to {
    connector = "db"
    target    = "items"
    when      = "input.kind"
  }
}

type "shaky" {
  code = string({ validator = "broken_check" })
}

validator "broken_check" {
  type = "cel"
  expr = "value.parts.first == 'x'"
}
