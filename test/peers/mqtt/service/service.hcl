service {
  name       = "relay"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "sensors" {
  type                   = "mqtt"
  broker                 = env("BROKER", "tcp://127.0.0.1:1883")
  client_id              = env("CLIENT", "relay")
  qos                    = 1
  clean_session          = false
  max_reconnect_interval = "500ms"
}

connector "receiver" {
  type     = "http"
  base_url = env("RECEIVER", "http://127.0.0.1:3001")
}

flow "take" {
  from {
    connector = "sensors"
    operation = env("TOPIC", "readings")
  }

  transform {
    number = "input.number"
  }

  to {
    connector = "receiver"
    operation = "POST /"
  }
}
