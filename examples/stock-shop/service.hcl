service {
  name       = "stock-shop"
  version    = "1.0.0"
  admin_port = env("ADMIN_PORT", "9091")
}
