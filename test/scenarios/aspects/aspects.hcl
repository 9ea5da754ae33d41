aspect "audit" {
  on   = ["create_*", "change_*"]
  when = "after"
  if   = "result.affected > 0"

  action {
    connector = "db"
    operation = "INSERT notes"

    transform {
      kind = "'audit'"
      flow = "_flow"
      text = "_operation + ' ' + _target"
    }
  }
}

aspect "allowed" {
  on   = ["change_*"]
  when = "before"

  action {
    connector = "stock"
    operation = "POST /allow"

    transform {
      id = "input.id"
    }
  }
}

aspect "calm" {
  on   = ["create_*"]
  when = "before"

  rate_limit {
    key                 = "'client:' + input.headers['x-client']"
    requests_per_second = 0.01
    burst               = 3
  }
}

aspect "kept" {
  on   = ["get_*"]
  when = "around"

  cache {
    storage = "cache"
    ttl     = "1h"
    key     = "${_flow}:${input.id}"
  }
}

aspect "fresh" {
  on   = ["change_item"]
  when = "after"

  invalidate {
    storage = "cache"
    keys    = ["get_item:${input.id}"]
  }
}

aspect "reported" {
  on   = ["list_*", "get_*"]
  when = "after"

  response {
    headers = { X-Items = "v2" }
    _total  = "size(result.data)"
  }
}

aspect "alarm" {
  on   = ["create_*", "change_*"]
  when = "on_error"

  action {
    flow = "record"

    transform {
      kind = "'error'"
      flow = "_flow"
      text = "error.type + ' ' + string(error.code)"
    }
  }
}

aspect "refused" {
  on   = ["create_*"]
  when = "on_drop"

  action {
    flow = "record"

    transform {
      kind = "'drop'"
      flow = "_flow"
      text = "drop.reason"
    }
  }
}

# Its table does not exist.
aspect "broken" {
  on   = ["change_*"]
  when = "after"

  action {
    connector = "db"
    target    = "nowhere"
  }
}
