# Who may look at a board: everybody at the public one, and each user at a board of their own.
flow "join_board" {
  from {
    connector = "live"
    operation = "join_room"
  }
  accept {
    when = "input.room == 'public' || input.room == 'of-' + auth.user_id"
  }
  response {
    room = "input.room"
  }
}

# A note that a client sends is signed with the name that its credentials prove.
flow "send_note" {
  from {
    connector = "live"
    operation = "message"
  }
  transform {
    board  = "'public'"
    text   = "input.text"
    author = "auth.user_id"
  }
  to {
    connector = "db"
    target    = "notes"
  }
  to {
    connector = "live"
    operation = "room:public"
  }
}

# A private word: to every connection of one user, and to no other client.
flow "whisper" {
  from {
    connector = "live"
    operation = "whisper"
  }
  transform {
    text   = "input.data.text"
    author = "auth.user_id"
  }
  to {
    connector = "live"
    operation = "send_to_user"
    target    = "input.data.to"
  }
}
