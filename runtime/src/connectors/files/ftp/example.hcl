# Orders of a shop are sent to a partner as files over SFTP, and the files that the partner has put there are listed.
connector "api" {
  type = "rest"
  port = 3000
}

connector "partner" {
  type        = "ftp"
  protocol    = "sftp"
  host        = env("PARTNER_HOST", "files.example.com")
  username    = env("PARTNER_USER", "shop")
  password    = env("PARTNER_PASSWORD", "")
  known_hosts = "./known_hosts"
  base_path   = "/shop"

  operation "order" {
    path_pattern = "orders/{number}.json"
  }
}

flow "send_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    number = "input.number"
    items  = "input.items"
  }
  to {
    connector = "partner"
    operation = "order"
  }
}

flow "list_stock" {
  from {
    connector = "api"
    operation = "GET /stock"
  }
  step "files" {
    connector = "partner"
    operation = "list"
    params    = { path = "stock", pattern = "*.csv" }
  }
  response {
    files = "step.files.map(f, f.name)"
  }
}
