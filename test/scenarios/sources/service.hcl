service {
  name       = "sources"
  version    = "1"
  admin_port = env("ADMIN_PORT", "9090")

  shutdown {
    timeout = "20s"
  }
}

connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT", "3000")
}

connector "live" {
  type = "websocket"
  host = "127.0.0.1"
  port = env("PORT", "3000")
}

connector "orders" {
  type            = "mq"
  driver          = "rabbitmq"
  url             = env("BROKER_URL", "amqp://localhost")
  reconnect_delay = "100ms"
  heartbeat       = env("HEARTBEAT", "10s")

  consumer {
    queue    = env("QUEUE", "orders.in")
    prefetch = 20
    workers  = 10
  }
}

connector "sensors" {
  type                   = "mqtt"
  broker                 = env("MQTT_URL", "tcp://localhost:1883")
  client_id              = env("CLIENT_ID", "sources")
  username               = "sensor"
  password               = env("MQTT_PASSWORD", "unset")
  qos                    = 1
  clean_session          = false
  keep_alive             = env("HEARTBEAT", "30s")
  max_reconnect_interval = "100ms"
}

connector "sink" {
  type     = "http"
  base_url = env("SINK_URL", "http://localhost:8080")
}

flow "from_queue" {
  from {
    connector = "orders"
    operation = "#"
  }
  transform {
    n = "input.body.n"
  }
  to {
    connector = "sink"
    operation = "POST /queue"
  }
}

flow "from_topic" {
  from {
    connector = "sensors"
    operation = "TOPIC"
  }
  transform {
    n = "input.n"
  }
  to {
    connector = "sink"
    operation = "POST /topic"
  }
}

flow "from_client" {
  from {
    connector = "live"
    operation = "message"
  }
  transform {
    n = "input.n"
  }
  to {
    connector = "sink"
    operation = "POST /client"
  }
}

flow "say" {
  from {
    connector = "api"
    operation = "POST /say"
  }
  to {
    connector = "live"
    operation = "broadcast"
  }
}
