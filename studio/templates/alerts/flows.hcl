# Only readings that are too high continue.
flow "take_reading" {
  from {
    connector = "api"
    operation = "POST /readings"
  }

  validate {
    input = "reading"
  }

  accept {
    when = "input.celsius > 30.0"
  }

  transform {
    text = "':fire: ' + input.sensor + ' has ' + string(input.celsius) + ' degrees'"
  }

  to {
    connector = "duty"
    operation = "send"
  }

  response {
    http_status_code = "202"
  }
}

# The owner of a sensor has a mail as well.
aspect "owner" {
  on   = ["take_reading"]
  when = "after"
  if   = "has(input.owner)"

  action {
    connector = "mail"
    operation = "send"
    to        = "input.owner"
    transform {
      subject = "input.sensor + ' is too warm'"
      text    = "'It has ' + string(input.celsius) + ' degrees.'"
    }
  }
}
