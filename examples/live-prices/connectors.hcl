# Both names mean one server: prices come in as requests, and go out as streams of events.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "feed" {
  type = "sse"
  port = env("PORT", "3000")
  path = "/prices"
  # A page cannot send headers with an EventSource, so that its key is in the address. These are examples: keys belong
  # into a secret store.
  auth {
    type        = "api_key"
    query_param = "key"
    keys        = [env("ANN_KEY", "key-of-ann"), env("BEN_KEY", "key-of-ben")]
  }
  # A client that comes again after a moment gets what it missed.
  replay {
    events = 5000
    age    = "10m"
  }
}
