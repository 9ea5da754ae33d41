# Keeps the orders of a shop for callers over gRPC.
connector "rpc" {
  type       = "grpc"
  port       = 50051
  proto_path = "./proto"
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}

flow "get_order" {
  from {
    connector = "rpc"
    operation = "shop.Orders/GetOrder"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
