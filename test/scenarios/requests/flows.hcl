# Answers with what came in.
flow "show" {
  from {
    connector = "api"
    operation = "POST /show"
  }
}

flow "query" {
  from {
    connector = "api"
    operation = "QUERY /show"
  }
}

flow "read" {
  from {
    connector = "api"
    operation = "GET /things/:id"
  }
}

flow "replace" {
  from {
    connector = "api"
    operation = "PUT /things/:id"
  }

  response {
    id        = "input.id"
    name      = "input.name ?? 'unnamed'"
    role      = "input.headers['x-role'] ?? 'none'"
    documents = "has(input.files) ? 'uploaded' : 'none'"
    user      = "auth.user_id"
    signed_in = "auth.authenticated"
  }
}

flow "remove" {
  from {
    connector = "api"
    operation = "DELETE /things/:id"
  }
}

# Every field reads the one above it.
flow "chain" {
  from {
    connector = "api"
    operation = "POST /chain"
  }

  transform {
    a = "input.start"
    b = "output.a + 'b'"
    c = "output.b + 'c'"
    d = "output.c + 'd'"
    e = "output.d + output.a"
    f = "size(output.e)"
    g = "{'all': [output.a, output.b, output.c, output.d, output.e], 'size': output.f}"
  }
}

flow "who" {
  from {
    connector = "api"
    operation = "GET /who"
  }

  response {
    admin       = "has(input.isAdmin)"
    header_seen = "has(input.headers.isAdmin)"
    headers     = "input.headers"
  }
}

flow "constructor" {
  from {
    connector = "api"
    operation = "GET /constructor"
  }

  response {
    type = "input.constructor"
  }
}

flow "xml" {
  from {
    connector = "api"
    operation = "POST /xml"
    format    = "xml"
  }
}

flow "csv" {
  from {
    connector = "api"
    operation = "POST /csv"
    format    = "csv"
  }

  to {
    connector = "db"
    query     = "SELECT :name AS name, :note AS note UNION ALL SELECT 'b', 'plain'"
  }
}

flow "picture" {
  from {
    connector = "api"
    operation = "GET /picture"
  }

  response {
    _binary       = "'iVBORw0KGgo='"
    _content_type = "'image/png'"
    _filename     = "'naïve \"name\".png'"
  }
}

flow "nothing" {
  from {
    connector = "api"
    operation = "GET /nothing"
  }

  response {
    http_status_code = "204"
  }
}

# Sets the status and leaves the answer as it is.
flow "taken" {
  from {
    connector = "api"
    operation = "POST /taken"
  }

  response {
    http_status_code = "202"
  }
}

flow "upload" {
  from {
    connector = "api"
    operation = "POST /upload"
  }

  response {
    title = "input.title"
    size  = "input.files.document.size"
    name  = "input.document.filename"
    type  = "input.files.document.content_type"
    data  = "input.files.document.data"
  }
}

# Fails inside, with words that callers of a production service must not read.
flow "broken" {
  from {
    connector = "api"
    operation = "GET /broken"
  }

  to {
    connector = "db"
    query     = "SELECT secret FROM table_that_is_not_there"
  }
}

flow "explained" {
  from {
    connector = "api"
    operation = "GET /explained"
  }

  to {
    connector = "db"
    query     = "SELECT secret FROM table_that_is_not_there"
  }

  error_handling {
    error_response {
      status  = 502
      headers = { "X-Reason" = "store" }
      body {
        message = "'the store is closed'"
        type    = "error.type"
      }
    }
  }
}

type "person" {
  name = string({ min_length = 2 })
  age  = integer({ min = 0, required = false })
}

flow "checked" {
  from {
    connector = "api"
    operation = "POST /checked"
  }

  validate {
    input = "person"
  }
}
