connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./sensors.db"
}

# What is published while the service is stopped is kept for its session, and acknowledged after its flow.
connector "sensors" {
  type          = "mqtt"
  broker        = env("MQTT_URL", "tcp://127.0.0.1:1883")
  client_id     = env("CLIENT_ID", "example-sensors")
  qos           = 1
  clean_session = false
}
