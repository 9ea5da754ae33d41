service {
  name       = "state-machines"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "remote" {
  type     = "http"
  base_url = env("REMOTE_URL", "http://localhost:4001")
}

# The action takes as long as the other service does.
state_machine "parcel" {
  initial = "packed"

  state "packed" {
    on "send" {
      transition_to = "sent"

      action {
        connector = "remote"
        operation = "POST /labels"
        body      = { parcel = "input.id" }
      }
    }

    on "cancel" {
      transition_to = "cancelled"

      action {
        connector = "remote"
        operation = "POST /cancellations"
        body      = { parcel = "input.id" }
      }
    }
  }

  state "sent" {
    on "receive" {
      transition_to = "received"
    }
  }

  state "received" {
    final = true
  }

  state "cancelled" {
    final = true
  }
}
