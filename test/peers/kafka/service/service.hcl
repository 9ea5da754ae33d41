service {
  name       = "relay"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "log" {
  type    = "mq"
  driver  = "kafka"
  brokers = [env("BROKER", "127.0.0.1:9092")]

  consumer {
    group_id          = env("GROUP", "relay")
    topics            = [env("TAKEN", "taken")]
    rebalance_timeout = "10s"
    max_wait_time     = "50ms"
  }

  producer {
    topic       = env("SENT", "sent")
    compression = env("COMPRESSION", "none")
  }
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "receiver" {
  type     = "http"
  base_url = env("RECEIVER", "http://127.0.0.1:3001")
}

flow "take" {
  from {
    connector = "log"
  }

  transform {
    key     = "input.key"
    body    = "input.body"
    headers = "input.headers"
  }

  to {
    connector = "receiver"
    operation = "POST /"
  }
}

flow "send" {
  from {
    connector = "api"
    operation = "POST /messages"
  }

  transform {
    number = "input.number"
    text   = "input.text"
  }

  to {
    connector = "log"
    params = {
      key     = "input.key"
      headers = "input.marks"
    }
  }
}

flow "erase" {
  from {
    connector = "api"
    operation = "DELETE /messages/:key"
  }

  transform {
    number = "null"
  }

  to {
    connector = "log"
    tombstone = true
    params = {
      key = "input.key"
    }
  }
}
