flow "move_ticket" {
  from {
    connector = "api"
    operation = "POST /tickets/:id/events"
  }

  state_transition {
    machine   = "ticket"
    entity    = "tickets"
    id        = "input.id"
    event     = "input.event"
    connector = "db"
  }

  response {
    ticket = "output.entity_id"
    from   = "output.previous_state"
    to     = "output.current_state"
  }
}
