# A chat: everybody hears what one says, signed with the name that the credentials of its connection prove.
connector "live" {
  type = "websocket"
  port = env("PORT", "3001")
  auth {
    type = "jwt"
    secret = env("JWT_SECRET", "a secret of at least 32 characters")
  }
}

flow "say" {
  from {
    connector = "live"
    operation = "message"
  }
  transform {
    text = "input.text"
    from = "auth.user_id"
  }
  to {
    connector = "live"
    operation = "broadcast"
  }
}
