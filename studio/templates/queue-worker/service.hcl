service {
  name       = "worker"
  version    = "0.1.0"
  admin_port = env("ADMIN_PORT", "9090")
}

# Without a broker the service starts all the same, and mocks/ answers what would be sent to it.
mocks {
  enabled = env("AMQP_URL", "") == ""
}
