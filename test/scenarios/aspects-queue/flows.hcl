# Three flows share every message.
flow "reserve" {
  from {
    connector = "orders"
    filter    = "input.body.n > 1"
  }

  to {
    connector = "stock"
    target    = "/reserve"
  }

  transform {
    n = "input.body.n"
  }
}

flow "ship" {
  from {
    connector = "orders"

    filter {
      condition   = "input.body.n > 2"
      on_reject   = "reject"
      id_field    = "string(input.body.n)"
      max_requeue = 1
    }
  }

  to {
    connector = "stock"
    target    = "/ship"
  }

  transform {
    n = "input.body.n"
  }

  error_handling {
    retry {
      attempts = 3
      delay    = "10ms"
    }

    fallback {
      connector = "stock"
      target    = "/failed"
    }
  }
}

flow "invoice" {
  from {
    connector = "orders"
    filter    = "input.body.n > 3"
  }

  to {
    connector = "stock"
    target    = "/invoice"
  }

  transform {
    n = "input.body.n"
  }
}

aspect "unwanted" {
  on   = ["*"]
  when = "on_drop"

  action {
    connector = "stock"
    operation = "POST /unwanted"

    transform {
      n      = "input.body.n"
      flow   = "_flow"
      reason = "drop.reason"
      policy = "drop.policy"
      id     = "drop.message_id"
    }
  }
}

aspect "alarm" {
  on   = ["ship"]
  when = "on_error"

  action {
    connector = "stock"
    operation = "POST /alarm"

    transform {
      n    = "input.body.n"
      code = "error.code"
    }
  }
}

aspect "done" {
  on   = ["ship"]
  when = "after"

  action {
    connector = "stock"
    operation = "POST /done"

    transform {
      n = "input.body.n"
    }
  }
}
