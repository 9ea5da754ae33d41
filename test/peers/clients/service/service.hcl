service {
  name       = "desk"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type  = "rest"
  port  = env("PORT")
  http2 = true
}

connector "live" {
  type = "websocket"
  port = env("PORT")
  path = "/live"
}

connector "feed" {
  type = "sse"
  port = env("PORT")
  path = "/events"
}

connector "graph" {
  type = "graphql"
  port = env("GRAPHQL_PORT")
  schema {
    path = "desk.graphql"
  }
  subscriptions {
    path = "/subscriptions"
  }
}

connector "rpc" {
  type       = "grpc"
  port       = env("GRPC_PORT")
  proto_path = "./proto"
}

connector "letters" {
  type      = "soap"
  port      = env("SOAP_PORT")
  namespace = "http://desk.test/orders"
}

connector "numbers" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}

# Never answers.
connector "silent" {
  type     = "http"
  base_url = env("SILENT")
  timeout  = "60s"
}

type "order" {
  id       = integer
  customer = string({ min_length = 1 })
  quantity = integer({ min = 1 })
  price    = number
  paid     = boolean
  note     = string({ required = false })
}

flow "rest_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  validate {
    input = "order"
  }
  response {
    http_status_code = "201"
    order            = "{'id': input.id, 'customer': input.customer, 'quantity': input.quantity, 'price': input.price, 'paid': input.paid}"
    tags             = "input.tags"
    nothing          = "null"
  }
}

flow "rest_wait" {
  from {
    connector = "api"
    operation = "GET /wait/:who"
  }
  step "never" {
    connector = "silent"
    operation = "GET /rest"
  }
}

flow "rest_news" {
  from {
    connector = "api"
    operation = "POST /news/:room"
  }
  transform {
    text = "input.text"
  }
  to {
    connector = "feed"
    operation = "send_to_room"
    target    = "input.room"
  }
}

flow "live_message" {
  from {
    connector = "live"
    operation = "message"
  }
  response {
    said = "input.text"
    long = "size(input.text)"
  }
}

flow "live_binary" {
  from {
    connector = "live"
    operation = "binary"
  }
  response {
    size = "size(input.data)"
  }
}

flow "live_refused" {
  from {
    connector = "live"
    operation = "refuse"
  }
  validate {
    input = "order"
  }
}

flow "graph_order" {
  from {
    connector = "graph"
    operation = "Query.order"
  }
  response {
    id       = "input.order.id"
    customer = "input.order.customer"
    quantity = "input.order.quantity"
    price    = "input.order.price"
    paid     = "input.order.paid"
    kind     = "input.order.kind"
    tags     = "input.order.tags"
    note     = "input.order.note ?? null"
  }
}

flow "graph_refused" {
  from {
    connector = "graph"
    operation = "Query.refused"
  }
  response {
    http_status_code = "404"
    message          = "'no such order'"
  }
}

flow "graph_place" {
  from {
    connector = "graph"
    operation = "Mutation.place"
  }
  transform {
    id       = "input.order.id"
    customer = "input.order.customer"
    quantity = "input.order.quantity"
    price    = "input.order.price"
    paid     = "input.order.paid"
    kind     = "input.order.kind"
    tags     = "input.order.tags"
    note     = "input.order.note ?? null"
  }
  to {
    connector = "graph"
    operation = "Subscription.placed"
  }
  response {
    id       = "input.order.id"
    customer = "input.order.customer"
    quantity = "input.order.quantity"
    price    = "input.order.price"
    paid     = "input.order.paid"
    kind     = "input.order.kind"
    tags     = "input.order.tags"
    note     = "input.order.note ?? null"
  }
}

flow "rpc_show" {
  from {
    connector = "rpc"
    operation = "orders.Desk/Show"
  }
  response {
    id       = "input.id"
    customer = "input.customer"
    quantity = "input.quantity"
    price    = "input.price"
    paid     = "input.paid"
    tags     = "input.tags"
    seal     = "input.seal"
    note     = "input.note"
  }
}

flow "rpc_follow" {
  from {
    connector = "rpc"
    operation = "orders.Desk/Follow"
  }
  to {
    connector = "numbers"
    query     = "SELECT :id AS id, 1 AS quantity UNION ALL SELECT :id, 2 UNION ALL SELECT :id, 3"
  }
}

flow "rpc_collect" {
  from {
    connector = "rpc"
    operation = "orders.Desk/Collect"
  }
  response {
    orders = "input.messages"
    count  = "size(input.messages)"
  }
}

flow "rpc_refuse" {
  from {
    connector = "rpc"
    operation = "orders.Desk/Refuse"
  }
  response {
    http_status_code = "409"
    message          = "input.customer + ' is asleep'"
  }
}

flow "rpc_wait" {
  from {
    connector = "rpc"
    operation = "orders.Desk/Wait"
  }
  step "never" {
    connector = "silent"
    operation = "GET /grpc"
  }
}

flow "letter_order" {
  from {
    connector = "letters"
    operation = "CreateOrder"
  }
  validate {
    input  = "order"
    output = "order"
  }
  response {
    id       = "input.id"
    customer = "input.customer"
    quantity = "input.quantity"
    price    = "input.price"
    paid     = "input.paid"
    note     = "input.?note.orValue(null)"
  }
}
