service {
  name       = "accounts"
  version    = "1.0.0"
  admin_port = env("ADMIN_PORT", "9090")
}

constants {
  page = file("page/index.html")
}
