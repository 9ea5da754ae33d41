saga "rent_van" {
  timeout = "30s"

  from {
    connector = "api"
    operation = "POST /rentals"
  }

  # A van is held once at most: a second rental of it fails here, and nothing has to be undone.
  step "hold" {
    action {
      connector = "vans"
      operation = "INSERT"
      target    = "holds"
      data      = { van_id = "input.van_id", customer = "input.customer" }
    }
    compensate {
      connector = "vans"
      operation = "DELETE"
      target    = "holds"
      where     = { id = "step.hold.id" }
    }
  }

  # An account cannot be overdrawn. When it would be, the van is released.
  step "deposit" {
    timeout = "5s"
    action {
      connector = "accounts"
      query     = "UPDATE accounts SET balance = balance - :amount WHERE customer = :customer"
      params    = { amount = "input.deposit", customer = "input.customer" }
    }
    compensate {
      connector = "accounts"
      query     = "UPDATE accounts SET balance = balance + :amount WHERE customer = :customer"
      params    = { amount = "input.deposit", customer = "input.customer" }
    }
  }

  # Nice to have: without it the rental continues.
  step "note" {
    on_error = "skip"
    action {
      connector = "vans"
      operation = "INSERT"
      target    = "notes"
      data      = { hold_id = "step.hold.id", text = "input.note" }
    }
  }

  # The last step that can fail.
  step "hand_out" {
    action {
      connector = "vans"
      operation = "UPDATE"
      target    = "vans"
      set       = { mileage = "input.mileage" }
      where     = { id = "input.van_id" }
    }
  }

  on_complete {
    connector = "vans"
    operation = "INSERT"
    target    = "events"
    data      = { text = "'rented to ' + input.customer" }
  }

  on_failure {
    connector = "vans"
    operation = "INSERT"
    target    = "events"
    data      = { text = "error.message" }
  }
}
