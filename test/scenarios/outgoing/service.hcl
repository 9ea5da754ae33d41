service {
  name       = "outgoing"
  admin_port = env("ADMIN_PORT", "0")
}

connector "api" {
  type         = "rest"
  port         = env("PORT", "0")
  body_formats = ["json", "form", "csv"]
  max_body     = "4MB"
}

connector "peer" {
  type     = "http"
  base_url = env("PEER_URL", "http://127.0.0.1:1")

  retry {
    attempts = 2
  }

  operation "find" {
    method = "GET"
    path   = "/found/:id"

    param "id" {
      required = true
    }
    param "x_tenant" {
      in = "header"
    }
    param "note" {
      in = "body"
    }
  }
}
