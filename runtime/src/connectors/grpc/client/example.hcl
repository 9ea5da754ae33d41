# Answers requests over HTTP with what an order service says over gRPC.
connector "api" {
  type = "rest"
  port = env("PORT", "3001")
}

connector "orders" {
  type       = "grpc"
  driver     = "client"
  target     = env("ORDERS", "localhost:50051")
  proto_path = "./proto"
}

flow "order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  step "order" {
    connector = "orders"
    operation = "shop.Orders/GetOrder"
    params    = { order_id = "input.id" }
  }
  response {
    total = "step.order.total"
  }
}
