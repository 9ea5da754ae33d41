# Shops record what comes and goes; tools learn by reflection what there is to call.
connector "rpc" {
  type       = "grpc"
  port       = env("GRPC_PORT", "50051")
  proto_path = "./proto"
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "stock.db"
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}
