# Readings of sensors, written down as they come, and commands to lamps. A reading is acknowledged after its row is
# written; a command is answered after the broker has it, which keeps it for lamps that connect later.
connector "plant" {
  type          = "mqtt"
  broker        = env("MQTT_BROKER", "tcp://localhost:1883")
  client_id     = "readings"
  qos           = 1
  clean_session = false
  will {
    topic   = "services/readings"
    payload = "gone"
    retain  = true
  }
}

connector "api" {
  type = "rest"
  port = 3000
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "readings.db"
}

flow "record" {
  from {
    connector = "plant"
    operation = "building/{room}/temperature"
  }
  transform {
    room    = "input.room"
    celsius = "input.celsius"
  }
  to {
    connector = "db"
    target    = "readings"
  }
}

flow "switch" {
  from {
    connector = "api"
    operation = "POST /rooms/:room/lamp"
  }
  transform {
    on = "input.on"
  }
  to {
    connector = "plant"
    target    = "'building/' + input.room + '/lamp'"
    params    = { qos = 1, retain = true }
  }
}
