service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "bench.db"
}

type "new_user" {
  name  = string({ min_length = 1, max_length = 100 })
  email = string({ format = "email" })
  age   = number({ min = 0, max = 150 })
}

flow "create_user" {
  from {
    connector = "api"
    operation = "POST /users"
  }
  validate {
    input = "new_user"
  }
  transform {
    name  = "trim(input.name)"
    email = "lower(input.email)"
    age   = "input.age"
  }
  to {
    connector = "db"
    target    = "users"
  }
}
