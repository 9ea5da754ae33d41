service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

auth {
  secret = "a secret of the benchmark that is long enough"
  storage {
    driver = "redis"
    url    = env("TEST_REDIS_URL")
  }
}

flow "hello" {
  from {
    connector = "api"
    operation = "GET /hello"
  }
  response {
    message = "'hello'"
    ok      = "true"
  }
}
