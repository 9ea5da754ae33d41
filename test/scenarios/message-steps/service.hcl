service {
  name       = "message-steps"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "log" {
  type    = "mq"
  driver  = "kafka"
  brokers = [env("KAFKA", "localhost:9092")]
}

connector "plant" {
  type             = "mqtt"
  broker           = env("MQTT", "tcp://localhost:1883")
  protocol_version = "5"
}

flow "record" {
  from {
    connector = "api"
    operation = "POST /record"
  }

  step "named" {
    connector = "log"
    operation = "PUBLISH"
    target    = env("TOPIC", "orders")
    body      = { v = "input.v" }
    params    = { key = "input.key", partition = 1, headers = { tenant = "input.tenant" } }
  }

  step "short" {
    connector = "log"
    target    = env("TOPIC", "orders")
    body      = { v = "input.v" }
    params    = { key = "input.key", partition = 1 }
  }

  step "removed" {
    connector = "log"
    operation = "PUBLISH"
    target    = env("TOPIC", "orders")
    tombstone = true
    params    = { key = "input.key", partition = 1 }
  }
}

flow "switch" {
  from {
    connector = "api"
    operation = "POST /switch"
  }

  step "on" {
    connector = "plant"
    operation = "PUBLISH"
    target    = "input.topic"
    body      = { v = "input.v" }
    params    = { qos = 1, expiration = "1h", headers = { tenant = "input.tenant" } }
  }
}

saga "both" {
  from {
    connector = "api"
    operation = "POST /both"
  }

  step "record" {
    action {
      connector = "log"
      operation = "PUBLISH"
      target    = env("TOPIC", "orders")
      data      = { v = "input.v" }
      params    = { key = "input.key", partition = 0 }
    }
  }

  step "switch" {
    action {
      connector = "plant"
      operation = "PUBLISH"
      target    = "input.topic"
      body      = { v = "input.v" }
      params    = { qos = 2, headers = { tenant = "input.tenant" } }
    }
  }
}
