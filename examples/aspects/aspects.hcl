# Every change that changed something is written down.
aspect "history" {
  on   = ["add_*", "change_*"]
  when = "after"
  if   = "result.affected > 0"

  action {
    connector = "db"
    operation = "INSERT history"

    transform {
      flow = "_flow"
      book = "string(input.id ?? result.data[0].id)"
      what = "'done'"
      at   = "now()"
    }
  }
}

# So is every change that failed, by a flow that people may call too.
aspect "troubles" {
  on   = ["add_*", "change_*"]
  when = "on_error"

  action {
    flow = "write_history"

    transform {
      flow = "_flow"
      book = "input.title ?? string(input.id)"
      what = "'failed: ' + error.type"
    }
  }
}

# And what a gate did not want.
aspect "unwanted" {
  on   = ["add_*"]
  when = "on_drop"

  action {
    flow = "write_history"

    transform {
      flow = "_flow"
      what = "'dropped: ' + drop.reason"
    }
  }
}

# At most ten books in a row from one reader, then one per second.
aspect "calm" {
  on   = ["add_*"]
  when = "before"

  rate_limit {
    key                 = "input.headers['x-reader'] ?? 'everybody'"
    requests_per_second = 1
    burst               = 10
  }
}

aspect "kept" {
  on   = ["get_*"]
  when = "around"

  cache {
    storage = "cache"
    ttl     = "10m"
    key     = "${_flow}:${input.id}"
  }
}

aspect "fresh" {
  on   = ["change_book"]
  when = "after"

  invalidate {
    storage = "cache"
    keys    = ["get_book:${input.id}"]
  }
}

aspect "labelled" {
  on   = ["list_*", "get_*"]
  when = "after"

  response {
    headers = { X-Library = "1.0" }
  }
}
