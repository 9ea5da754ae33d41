connector "api" {
  type = "rest"
  port = env("PORT", "3001")
}

# No definitions are kept here: the server is asked by reflection what it has.
connector "stock" {
  type       = "grpc"
  driver     = "client"
  target     = env("STOCK_ADDRESS", "localhost:50051")
  reflection = true
  timeout    = "5s"
}
