flow "fetch_ticket" {
  from {
    connector = "api"
    operation = "GET /tickets/:id"
  }

  to {
    connector = "db"
    target    = "tickets"
  }
}

flow "history" {
  from {
    connector = "api"
    operation = "GET /history"
  }

  to {
    connector = "db"
    query     = "SELECT ticket_id, text FROM history ORDER BY id"
  }
}
