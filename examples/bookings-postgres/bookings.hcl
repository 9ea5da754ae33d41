# Takes seats for a list of guests: all of them or none. The row of the event is locked meanwhile, so that two bookings
# cannot take the same seats.
flow "book" {
  from {
    connector = "api"
    operation = "POST /bookings"
  }

  validate {
    input = "new_booking"
  }

  transform {
    id = "uuid()"
  }

  to {
    connector = "db"

    transaction {
      exec {
        query   = "SELECT seats_left FROM events WHERE id = :event FOR UPDATE"
        params  = { event = "input.event_id" }
        capture = "seats"
      }
      exec {
        when   = "(captured.seats ?? 0) >= size(input.guests)"
        query  = "INSERT INTO bookings (id, event_id) VALUES (:id, :event)"
        params = { id = "output.id", event = "input.event_id" }
      }
      exec {
        query   = "SELECT id FROM bookings WHERE id = :id"
        params  = { id = "output.id" }
        capture = "booking"
      }
      each "guest" in "input.guests" {
        exec {
          when   = "(captured.booking ?? '') != ''"
          query  = "INSERT INTO guests (booking_id, position, name) VALUES (:booking, :position, :name)"
          params = { booking = "captured.booking", position = "guest_index", name = "guest" }
        }
      }
      exec {
        when   = "(captured.booking ?? '') != ''"
        query  = "UPDATE events SET seats_left = seats_left - :seats WHERE id = :event"
        params = { seats = "size(input.guests)", event = "input.event_id" }
      }
    }
  }

  response {
    http_status_code = "(output.captured.booking ?? '') == '' ? '409' : '201'"
    booking          = "output.captured.booking"
  }
}

flow "guests" {
  from {
    connector = "api"
    operation = "GET /bookings/:id/guests"
  }

  to {
    connector = "db"
    query     = "SELECT name FROM guests WHERE booking_id = :id ORDER BY position"
  }
}
