# Nothing is dropped from the cache.
flow "rename_quietly" {
  from {
    connector = "api"
    operation = "POST /quietly"
  }

  to {
    connector = "db"
    query     = "UPDATE things SET name = :name WHERE id = :id"
  }
}

flow "rename" {
  from {
    connector = "api"
    operation = "PATCH /things/:id"
  }

  to {
    connector = "db"
    target    = "things"
  }

  after {
    invalidate {
      storage  = "cache"
      keys     = ["thing:${input.id}", "brief"]
      patterns = ["shelf:item:${input.id}*"]
    }
  }
}

flow "drop_listed" {
  from {
    connector = "api"
    operation = "POST /drop-listed"
  }

  response {
    dropped = "input.ids"
  }

  after {
    invalidate {
      storage       = "cache"
      keys_from     = "output.dropped.map(id, 'thing:' + id)"
      patterns_from = "input.patterns ?? ['nothing:*']"
    }
  }
}

flow "drop_wrongly" {
  from {
    connector = "api"
    operation = "POST /drop-wrongly"
  }

  response {
    ok = "true"
  }

  after {
    invalidate {
      storage   = "cache"
      keys_from = "input.ids"
    }
  }
}

# A write that fails drops nothing.
flow "rename_badly" {
  from {
    connector = "api"
    operation = "PUT /things/:id"
  }

  to {
    connector = "db"
    query     = "UPDATE things SET name = NULL WHERE id = :id"
  }

  after {
    invalidate {
      storage = "cache"
      keys    = ["thing:${input.id}"]
    }
  }
}
