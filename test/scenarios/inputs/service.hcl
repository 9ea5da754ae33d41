service {
  name       = "inputs"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT", "3000")
}

connector "kafka" {
  type    = "mq"
  driver  = "kafka"
  brokers = [env("BROKERS", "127.0.0.1:9092")]
  consumer {
    group_id      = "inputs"
    topics        = [env("NAME", "inputs")]
    max_wait_time = "50ms"
  }
}

connector "rabbitmq" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("BROKER_URL", "amqp://localhost")
  consumer {
    queue             = env("QUEUE", "inputs")
    create_if_missing = true
  }
}

connector "nats" {
  type   = "mq"
  driver = "nats"
  url    = env("NATS_URL", "nats://127.0.0.1:4222")
}

connector "redis" {
  type     = "mq"
  driver   = "redis"
  url      = env("REDIS_URL", "redis://127.0.0.1:6379")
  channels = [env("NAME", "inputs")]
}

connector "mqtt" {
  type      = "mqtt"
  broker    = env("MQTT_URL", "tcp://127.0.0.1:1883")
  client_id = env("NAME", "inputs")
  qos       = 1
}

connector "websocket" {
  type = "websocket"
  host = "127.0.0.1"
  port = env("PORT", "3000")
}

connector "changes" {
  type              = "cdc"
  url               = env("DATABASE_URL", "postgres://localhost:5432/inputs")
  slot_name         = env("SLOT", "inputs")
  tables            = ["inputs"]
  create_if_missing = true
}

connector "tcp" {
  type   = "tcp"
  driver = "server"
  host   = "127.0.0.1"
  port   = env("TCP_PORT", "9000")
}

connector "soap" {
  type = "soap"
  host = "127.0.0.1"
  port = env("SOAP_PORT", "8081")
}

connector "grpc" {
  type       = "grpc"
  host       = "127.0.0.1"
  port       = env("GRPC_PORT", "50051")
  proto_path = "./protos"
}

connector "sink" {
  type     = "http"
  base_url = env("SINK_URL", "http://localhost:8080")
}

flow "from_kafka" {
  from {
    connector = "kafka"
  }
  transform {
    text = "input.body.text"
  }
  to {
    connector = "sink"
    target    = "POST /kafka"
  }
}

flow "from_rabbitmq" {
  from {
    connector = "rabbitmq"
  }
  transform {
    text = "input.body.text"
  }
  to {
    connector = "sink"
    target    = "POST /rabbitmq"
  }
}

flow "from_nats" {
  from {
    connector = "nats"
    operation = env("NAME", "inputs")
  }
  transform {
    text = "input.body.text"
  }
  to {
    connector = "sink"
    target    = "POST /nats"
  }
}

flow "from_redis" {
  from {
    connector = "redis"
  }
  transform {
    text = "input.text"
  }
  to {
    connector = "sink"
    target    = "POST /redis"
  }
}

flow "from_mqtt" {
  from {
    connector = "mqtt"
    operation = env("NAME", "inputs")
  }
  transform {
    text = "input.text"
  }
  to {
    connector = "sink"
    target    = "POST /mqtt"
  }
}

flow "from_websocket" {
  from {
    connector = "websocket"
    operation = "message"
  }
  transform {
    text = "input.text"
  }
  to {
    connector = "sink"
    target    = "POST /websocket"
  }
}

flow "from_changes" {
  from {
    connector = "changes"
    operation = "INSERT:inputs"
  }
  transform {
    text = "input.new.sent.text"
  }
  to {
    connector = "sink"
    target    = "POST /changes"
  }
}

flow "from_rest" {
  from {
    connector = "api"
    operation = "POST /inputs"
  }
  transform {
    text = "input.text"
  }
  to {
    connector = "sink"
    target    = "POST /rest"
  }
}

flow "from_tcp" {
  from {
    connector = "tcp"
    operation = "inputs"
  }
  transform {
    text = "input.text"
  }
  to {
    connector = "sink"
    target    = "POST /tcp"
  }
}

flow "from_soap" {
  from {
    connector = "soap"
    operation = "Inputs"
  }
  transform {
    text = "input.text"
  }
  to {
    connector = "sink"
    target    = "POST /soap"
  }
}

flow "from_grpc" {
  from {
    connector = "grpc"
    operation = "inputs.Inputs/Take"
  }
  transform {
    text = "input.text"
  }
  to {
    connector = "sink"
    target    = "POST /grpc"
  }
}
