# Readings of sensors, written down as they come. A message is acknowledged after its row is written.
connector "sensors" {
  type          = "mqtt"
  broker        = env("MQTT_BROKER", "tcp://localhost:1883")
  client_id     = "readings"
  qos           = 1
  clean_session = false
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "readings.db"
}

flow "record" {
  from {
    connector = "sensors"
    operation = "building/+/temperature"
  }
  transform {
    topic   = "input._topic"
    celsius = "input.celsius"
  }
  to {
    connector = "db"
    target    = "readings"
  }
}
