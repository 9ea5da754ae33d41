service {
  name       = "accounts"
  version    = "1.0.0"
  admin_port = env("ADMIN_PORT", "9090")
}

constants {
  page            = file("page/index.html")
  page_script     = file("page/page.js")
  requests_script = file("page/requests.js")
  worker_script   = file("page/worker.js")
}
