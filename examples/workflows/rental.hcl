# A van is held for a customer, who has to fetch the keys within 36 hours. Otherwise the hold is undone.
saga "rent_van" {
  timeout = "14d"

  from {
    connector = "api"
    operation = "POST /rentals"
  }

  step "hold" {
    action {
      connector = "db"
      operation = "INSERT"
      target    = "rentals"
      data      = { van = "input.van", customer = "input.customer", state = "held" }
    }
    compensate {
      connector = "db"
      operation = "UPDATE"
      target    = "rentals"
      set       = { state = "released" }
      where     = { id = "step.hold.id" }
    }
  }

  # Waits for POST /workflows/{id}/signal/keys_collected, however long that takes and however often the service restarts meanwhile.
  step "pickup" {
    await   = "keys_collected"
    timeout = "36h"
  }

  step "drive" {
    action {
      connector = "db"
      query     = "UPDATE rentals SET state = 'driving', collected_by = :by WHERE id = :id"
      params    = { id = "step.hold.id", by = "input.signal.by" }
    }
  }

  # The van comes back when its time is over.
  step "close" {
    delay = env("RENTAL_TIME", "7d")

    action {
      connector = "db"
      operation = "UPDATE"
      target    = "rentals"
      set       = { state = "closed" }
      where     = { id = "step.hold.id" }
    }
  }
}

flow "rental" {
  from {
    connector = "api"
    operation = "GET /rentals/:id"
  }
  to {
    connector = "db"
    target    = "rentals"
  }
}
