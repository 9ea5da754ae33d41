flow "post" {
  from {
    connector = "api"
    operation = "POST /discord"
  }
  transform {
    content = "input.text"
  }
  to {
    connector = "community"
    operation = "send"
  }
  response {
    id = "output.result.message_id"
  }
}

flow "write_to_team" {
  from {
    connector = "api"
    operation = "POST /slack"
  }
  transform {
    text = "input.text"
  }
  to {
    connector = "team"
    operation = "send"
  }
  response {
    bucket   = "has(output.result.bucket) ? output.result.bucket : ''"
    buffered = "has(output.result.buffered) ? output.result.buffered : 0"
    id       = "has(output.result.message_id) ? output.result.message_id : ''"
  }
}

flow "text" {
  from {
    connector = "api"
    operation = "POST /twilio"
  }
  transform {
    to   = "'+15005550009'"
    body = "input.text"
  }
  to {
    connector = "texts"
    operation = "send"
  }
  response {
    id = "output.result.message_id"
  }
}

flow "send_code" {
  from {
    connector = "api"
    operation = "POST /sns"
  }
  transform {
    to   = "'+15005550009'"
    body = "input.text"
  }
  to {
    connector = "codes"
    operation = "send"
  }
  response {
    id = "output.result.message_id"
  }
}

flow "notify_apps" {
  from {
    connector = "api"
    operation = "POST /fcm"
  }
  transform {
    tokens = "has(input.devices) ? input.devices : ['device-1']"
    body   = "input.text"
  }
  to {
    connector = "apps"
    operation = "send"
  }
  response {
    id   = "has(output.result.message_id) ? output.result.message_id : ''"
    gone = "has(output.result.failed_tokens) ? output.result.failed_tokens : []"
  }
}

flow "notify_phones" {
  from {
    connector = "api"
    operation = "POST /apns"
  }
  transform {
    tokens = "has(input.devices) ? input.devices : ['a1b2']"
    body   = "input.text"
  }
  to {
    connector = "phones"
    operation = "send"
  }
  response {
    id   = "has(output.result.message_id) ? output.result.message_id : ''"
    gone = "has(output.result.failed_tokens) ? output.result.failed_tokens : []"
  }
}

# A step sends too; what it is answered is part of the answer.
flow "release" {
  from {
    connector = "api"
    operation = "POST /releases"
  }
  step "announced" {
    connector = "community"
    operation = "send"
    params = {
      content = "'Version ' + input.version"
    }
  }
  response {
    message = "step.announced.result.message_id"
  }
}

flow "reserve_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  to {
    connector = "stock"
    operation = "POST /reservations"
  }
}

# Orders that fail are reported in a chat.
aspect "alert" {
  on   = ["reserve_*"]
  when = "on_error"

  action {
    connector = "watch"
    transform {
      text = "_flow + ' failed: ' + error.message"
    }
  }
}
