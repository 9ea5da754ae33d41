# Scales send what they have weighed over connections that stay open.
connector "scales" {
  type   = "tcp"
  driver = "server"
  port   = env("SCALES_PORT", "9000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "scales.db"
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}
