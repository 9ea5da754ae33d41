service {
  name       = "invoices"
  admin_port = env("ADMIN_PORT", "9090")
}
