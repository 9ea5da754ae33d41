connector "orders" {
  type             = "mqtt"
  broker           = env("BROKER_URL", "tcp://localhost:1883")
  client_id        = env("CLIENT", "orders")
  protocol_version = "5"
  qos              = 1
  clean_session    = false
  prefetch         = 50
  workers          = 50
}
