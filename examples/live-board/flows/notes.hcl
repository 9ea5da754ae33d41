# A note that came as a request is kept, and shown to all who look at its board.
flow "pin_note" {
  from {
    connector = "api"
    operation = "POST /boards/:board/notes"
  }
  transform {
    board  = "input.board"
    text   = "input.text"
    author = "'request'"
  }
  to {
    connector = "db"
    target    = "notes"
  }
  to {
    connector = "live"
    operation = "send_to_room"
    target    = "input.board"
  }
}

flow "list_notes" {
  from {
    connector = "api"
    operation = "GET /boards/:board/notes"
  }
  to {
    connector = "db"
    target    = "notes"
  }
}
