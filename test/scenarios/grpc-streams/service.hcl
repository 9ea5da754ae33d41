service {
  name       = "followers"
  version    = "1.0.0"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "feed" {
  type       = "grpc"
  driver     = "client"
  target     = env("FEED", "localhost:50051")
  proto_path = "./proto"

  streams {
    prefetch               = 20
    max_reconnect_interval = "200ms"
  }
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "events.db"
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}
