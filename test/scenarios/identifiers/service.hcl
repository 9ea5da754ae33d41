service {
  name       = "identifiers"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")

  operation "spend" {
    method = "POST"
    path   = "/declared/:id/spend"

    param "id" {
      type = "integer"
      in   = "path"
    }
  }
}

connector "memory" {
  type   = "cache"
  driver = "memory"
}

lock "account" {
  key = "'account:' + string(input.id)"
}
