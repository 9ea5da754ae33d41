service {
  name       = "letters"
  admin_port = env("ADMIN_PORT", "9090")
}

flow "keep" {
  from {
    connector = "orders"
  }

  accept {
    when = "input.body.n >= 0"
  }
}
