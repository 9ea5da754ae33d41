state_machine "ticket" {
  initial = "open"

  state "open" {
    on "assign" {
      transition_to = "assigned"
      guard         = "input.agent != ''"

      # The action comes before the state: when it fails, the ticket stays open.
      action {
        connector = "db"
        operation = "INSERT"
        target    = "history"
        data      = { ticket_id = "input.id", text = "'assigned to ' + input.agent" }
      }
    }
  }

  state "assigned" {
    on "close" {
      transition_to = "closed"
      guard         = "input.answer != ''"

      action {
        connector = "db"
        operation = "INSERT"
        target    = "history"
        data      = { ticket_id = "input.id", text = "input.answer" }
      }
    }

    on "give_back" {
      transition_to = "open"
    }
  }

  state "closed" {
    final = true
  }
}
