flow "list_holds" {
  from {
    connector = "api"
    operation = "GET /holds"
  }
  to {
    connector = "vans"
    target    = "holds"
  }
}

flow "list_events" {
  from {
    connector = "api"
    operation = "GET /events"
  }
  to {
    connector = "vans"
    target    = "events"
  }
}

flow "fetch_account" {
  from {
    connector = "api"
    operation = "GET /accounts/:customer"
  }
  to {
    connector = "accounts"
    target    = "accounts"
  }
}
