connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "orders.db")
}

# The server of the partner, who puts files of orders into `orders`. Its host key must be in `known_hosts`. It lets in by
# the key, by the password, or by either: without both the service does not start.
connector "partner" {
  type        = "ftp"
  protocol    = "sftp"
  host        = env("PARTNER_HOST", "127.0.0.1")
  port        = env("PARTNER_PORT", "22")
  username    = env("PARTNER_USER", "shop")
  password    = env("PARTNER_PASSWORD", "")
  key_file    = env("PARTNER_KEY", "")
  known_hosts = env("PARTNER_KNOWN_HOSTS", "./known_hosts")
  base_path   = env("PARTNER_FOLDER", "/shop")

  operation "orders" {
    path_pattern = "orders/{name}"
    action       = "read"
  }
}
