flow "book" {
  from {
    connector = "payments"
    operation = "receive"
  }
  transform {
    id     = "input.id"
    type   = "has(input.type) ? input.type : ''"
    source = "input.source"
    event  = "input.headers['x-webhook-event'] ?? ''"
    body   = "input.body"
    at     = "input.timestamp"
  }
  to {
    connector = "ledger"
    operation = "POST /payments"
  }
}

# A second flow hears of the same events.
flow "count" {
  from {
    connector = "payments"
  }
  transform {
    type = "has(input.type) ? input.type : ''"
  }
  to {
    connector = "ledger"
    operation = "POST /counts"
  }
}

flow "deployed" {
  from {
    connector = "deploys"
  }
  transform {
    source = "input.source"
    body   = "input.body"
  }
  to {
    connector = "ledger"
    operation = "POST /deploys"
  }
}

flow "announce" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    payload         = "{'order': input.id}"
    event_type      = "'order.created'"
    idempotency_key = "input.id"
  }
  to {
    connector = "partner"
    operation = "send"
  }
  response {
    status   = "output.result.status_code"
    attempts = "output.result.attempts"
  }
}

# Answers what went wrong instead of failing.
flow "refuse" {
  from {
    connector = "refusals"
  }
  response {
    http_status_code = "input.body.status"
    message          = "'that is sold out'"
  }
}
