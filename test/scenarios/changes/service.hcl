service {
  name       = "changes"
  admin_port = env("ADMIN_PORT", "9090")

  shutdown {
    timeout = "20s"
  }
}

connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT", "3000")
}

connector "changes" {
  type              = "cdc"
  driver            = "postgres"
  url               = env("DATABASE_URL", "postgres://postgres@localhost/shop")
  slot_name         = env("SLOT", "svc_slot")
  create_if_missing = true
  tables            = ["events", "documents"]
  workers           = 4
}

connector "copy" {
  type   = "database"
  driver = "postgres"
  url    = env("DATABASE_URL", "postgres://postgres@localhost/shop")
}

connector "ledger" {
  type     = "http"
  base_url = env("LEDGER_URL", "http://localhost:4001")
}
