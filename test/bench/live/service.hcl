service {
  name = "live"
}

connector "api" {
  type = "rest"
  port = env("PORT")
}

connector "feed" {
  type        = "sse"
  port        = env("PORT")
  path        = "/events"
  max_clients = 20000
}

connector "live" {
  type        = "websocket"
  port        = env("PORT")
  path        = "/ws"
  max_clients = 20000
}

flow "ready" {
  from {
    connector = "api"
    operation = "GET /ready"
  }
  response {
    ok = "true"
  }
}

flow "publish" {
  from {
    connector = "api"
    operation = "POST /publish"
  }
  transform {
    n    = "input.n"
    text = "input.text"
  }
  to {
    connector = "feed"
  }
}
