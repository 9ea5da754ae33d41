service {
  name       = "accounts"
  version    = "0.1.0"
  admin_port = env("ADMIN_PORT", "9090")
}
