flow "list_history" {
  from {
    connector = "api"
    operation = "GET /history"
  }

  to {
    connector = "db"
    query     = "SELECT flow, book, what FROM history ORDER BY id"
  }
}

# People may write down something, and so does the aspect "troubles".
flow "write_history" {
  from {
    connector = "api"
    operation = "POST /history"
  }

  transform {
    flow = "input.flow"
    book = "input.book ?? null"
    what = "input.what"
    at   = "now()"
  }

  to {
    connector = "db"
    target    = "history"
  }
}
