flow "ping" {
  from {
    connector = "api"
    operation = "GET /ping"
  }
  response {
    ok = "true"
  }
}

flow "record" {
  from {
    connector = "changes"
    operation = "INSERT:events"
  }
  transform {
    n = "input.new.n"
  }
  to {
    connector = "ledger"
    target    = "/record"
  }
}

flow "copy" {
  from {
    connector = "changes"
    operation = "*:documents"
  }

  transform {
    id   = "input.new.id"
    seen = "input.new.seen"
    body = "has(input.new.body) ? input.new.body : null"
    kept = "has(input.unchanged)"
  }
  to {
    connector = "copy"
    query     = "INSERT INTO copies (id, body, seen) VALUES (:id, :body, :seen) ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, body = CASE WHEN :kept THEN copies.body ELSE excluded.body END"
  }
}

security {
  flow "copy" {
    max_field_length = "1MB"
  }
}
