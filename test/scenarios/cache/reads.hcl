flow "thing" {
  from {
    connector = "api"
    operation = "GET /things/:id"
  }

  cache {
    storage = "cache"
    ttl     = "1h"
    key     = "thing:${input.id}"
  }

  to {
    connector = "db"
    target    = "things"
  }

  response {
    http_status_code = "size(output.items) == 0 ? '404' : '200'"
    thing            = "first(output.items)"
  }
}

# Without a key, the whole message is the key.
flow "derived" {
  from {
    connector = "api"
    operation = "GET /derived"
  }

  cache {
    storage = "cache"
  }

  to {
    connector = "db"
    query     = "SELECT name FROM things WHERE id = :id"
  }
}

flow "keyed" {
  from {
    connector = "api"
    operation = "GET /keyed"
  }

  cache {
    storage  = "cache"
    key_from = "input.key"
  }

  to {
    connector = "db"
    query     = "SELECT name FROM things WHERE id = 'a'"
  }
}

flow "shelved" {
  from {
    connector = "api"
    operation = "GET /shelved/:id"
  }

  cache {
    use = "cache.shelf"
    key = "item:${input.id}"
  }

  to {
    connector = "db"
    target    = "things"
  }
}

flow "brief" {
  from {
    connector = "api"
    operation = "GET /brief"
  }

  cache {
    storage = "cache"
    ttl     = "300ms"
    key     = "brief"
  }

  to {
    connector = "db"
    query     = "SELECT name FROM things WHERE id = 'a'"
  }
}

flow "failing" {
  from {
    connector = "api"
    operation = "GET /failing"
  }

  cache {
    storage = "cache"
    key     = "failing"
  }

  to {
    connector = "db"
    query     = "SELECT name FROM nowhere"
  }
}

flow "excused" {
  from {
    connector = "api"
    operation = "GET /excused"
  }

  cache {
    storage = "cache"
    key     = "excused"
  }

  to {
    connector = "db"
    query     = "SELECT name FROM things WHERE id = :id AND :fail <> 'yes'"
  }

  error_handling {
    error_response {
      status = 503
    }
  }
}
