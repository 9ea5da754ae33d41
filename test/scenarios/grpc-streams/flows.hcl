flow "keep_event" {
  from {
    connector = "feed"
    operation = "feed.Feed/Watch"
    message   = { topic = "moves" }
  }
  transform {
    id   = "input.id"
    text = "input.text"
  }
  to {
    connector = "db"
    target    = "events"
  }
}

flow "list_events" {
  from {
    connector = "api"
    operation = "GET /events"
  }
  to {
    connector = "db"
    target    = "events"
  }
}
