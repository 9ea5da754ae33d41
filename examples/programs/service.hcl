service {
  name       = "programs"
  admin_port = env("ADMIN_PORT", "9090")
}
