# A file such as kitchen.json: { "sensor": "kitchen", "fahrenheit": 70 }
flow "take_file" {
  from {
    connector = "inbox"
  }

  transform {
    sensor  = "input.sensor"
    celsius = "(double(input.fahrenheit) - 32.0) / 1.8"
    file    = "input._name"
  }

  to {
    connector = "db"
    target    = "readings"
  }
}

# Puts a file into the folder, so that a request is enough to try it.
flow "put_file" {
  from {
    connector = "api"
    operation = "PUT /files/:name"
  }

  validate {
    input = "reading"
  }

  transform {
    sensor     = "input.sensor"
    fahrenheit = "input.fahrenheit"
  }

  to {
    connector = "inbox"
    target    = "input.name + '.json'"
  }

  response {
    http_status_code = "202"
    file             = "input.name + '.json'"
  }
}

flow "list_readings" {
  from {
    connector = "api"
    operation = "GET /readings"
  }

  to {
    connector = "db"
    operation = "all_readings"
  }

  response {
    readings = "output.items"
  }
}
