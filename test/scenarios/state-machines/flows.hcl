flow "move" {
  from {
    connector = "api"
    operation = "POST /parcels/:id/:event"
  }

  state_transition {
    machine   = "parcel"
    entity    = "parcels"
    id        = "input.id"
    event     = "input.event"
    connector = "db"
  }
}

# A lost race is tried again, and judged by the new state.
flow "insist" {
  from {
    connector = "api"
    operation = "POST /insisting/:id/:event"
  }

  state_transition {
    machine   = "parcel"
    entity    = "parcels"
    id        = "input.id"
    event     = "input.event"
    connector = "db"
  }

  error_handling {
    retry {
      attempts = 3
      delay    = "10ms"
    }
  }
}

flow "fetch" {
  from {
    connector = "api"
    operation = "GET /parcels/:id"
  }

  to {
    connector = "db"
    target    = "parcels"
  }
}
