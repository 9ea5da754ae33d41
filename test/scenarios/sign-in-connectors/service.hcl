service {
  name       = "sign-in-connectors"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  port = env("PORT")
}

connector "ws" {
  type          = "websocket"
  port          = env("PORT")
  path          = "/ws"
  ping_interval = "200ms"
}

connector "events" {
  type = "sse"
  port = env("PORT")
  path = "/events"
}

connector "graph" {
  type = "graphql"
  port = env("GRAPH_PORT")

  subscriptions {
    path                = "/subscriptions"
    keep_alive_interval = "1s"
  }
}

connector "rpc" {
  type       = "grpc"
  port       = env("RPC_PORT")
  proto_path = "./proto"
}

connector "soap" {
  type      = "soap"
  port      = env("SOAP_PORT")
  namespace = "http://example.org/callers"
}

auth {
  secret = "the secret of this scenario, 32 bytes and more"

  sessions {
    idle_timeout = env("IDLE")
  }
  provider "keys" {
    type     = "http"
    validate = "${env("CHECKER")}/check"
    request  = { Authorization = "Bearer {token}" }

    response {
      success = "status == 200"
      user_id = "body.id"
    }
  }
}

type "tick" {
  id = number
}

type "caller" {
  id = string
}

flow "by_rest" {
  from {
    connector = "api"
    operation = "GET /who"
  }
  response {
    id = "auth.user_id"
  }
}

flow "by_websocket" {
  from {
    connector = "ws"
    operation = "message"
  }
  response {
    id = "auth.user_id"
  }
}

flow "by_graphql" {
  from {
    connector = "graph"
    operation = "Query.who"
  }
  returns = "caller"
  response {
    id = "auth.user_id"
  }
}

flow "by_subscription" {
  from {
    connector = "graph"
    operation = "Subscription.ticked"
  }
  returns = "tick"
}

flow "by_grpc" {
  from {
    connector = "rpc"
    operation = "who.Callers/Name"
  }
  response {
    id = "auth.user_id"
  }
}

flow "by_soap" {
  from {
    connector = "soap"
    operation = "Who"
  }
  validate {
    output = "caller"
  }
  response {
    id = "auth.user_id"
  }
}

flow "to_streams" {
  from {
    connector = "api"
    operation = "POST /ticks"
  }
  to {
    connector = "events"
    operation = "broadcast"
  }
}
