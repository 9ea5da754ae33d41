# Both names mean one server: requests and live connections come through the same port.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "live" {
  type = "websocket"
  port = env("PORT", "3000")
  path = "/ws"
  # These are examples: keys belong into a secret store.
  auth {
    type  = "basic"
    users = { ann = env("ANN_PASSWORD", "ann-secret"), ben = env("BEN_PASSWORD", "ben-secret") }
  }
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "board.db")
}
