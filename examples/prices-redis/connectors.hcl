connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./prices.db"
}

# What is published reaches those who listen at that moment.
connector "prices" {
  type     = "mq"
  driver   = "redis"
  url      = env("REDIS_URL", "redis://127.0.0.1:6379")
  patterns = ["${env("PREFIX", "prices")}.*"]
}
