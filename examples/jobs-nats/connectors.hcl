connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./jobs.db"
}

# Keeps jobs in a stream; each goes to one process that takes them.
connector "jobs" {
  type   = "mq"
  driver = "nats"
  url    = env("NATS_URL", "nats://127.0.0.1:4222")
  consumer {
    stream            = env("STREAM", "JOBS")
    durable           = "workers"
    subjects          = ["${env("SUBJECT", "jobs")}.*"]
    create_if_missing = true
    workers           = 4
  }
  publisher {
    confirms = true
  }
}
