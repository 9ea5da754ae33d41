service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type          = "rest"
  port          = env("PORT", "3000")
  max_in_flight = 8
}

# Costs enough that a load generator on the same machine can ask for twice as much as can be done.
flow "work" {
  from {
    connector = "api"
    operation = "GET /work"
  }
  response {
    total = "sum(lists.range(5000).map(n, n * 2))"
  }
}
