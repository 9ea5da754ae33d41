flow "take_event" {
  from {
    connector = "events"
    filter    = "has(input.body.Records) && input.body.Records[0].eventName.startsWith('ObjectCreated:')"
  }

  step "object" {
    connector = "uploads"
    operation = "read"
    params    = { key = "url.decode(input.body.Records[0].s3.object.key)" }
  }

  transform {
    key  = "url.decode(input.body.Records[0].s3.object.key)"
    rows = "step.object"
  }

  to {
    connector = "stock"
    target    = "/events"
  }
}

flow "take_notification" {
  from {
    connector = "notifications"
    filter    = "has(input.body.Message) && has(json.decode(input.body.Message).Records)"
  }

  step "object" {
    connector = "uploads"
    operation = "read"
    params    = { key = "url.decode(json.decode(input.body.Message).Records[0].s3.object.key)" }
  }

  transform {
    key  = "url.decode(json.decode(input.body.Message).Records[0].s3.object.key)"
    rows = "step.object"
  }

  to {
    connector = "stock"
    target    = "/notifications"
  }
}
