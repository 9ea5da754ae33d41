flow "put" {
  from {
    connector = "api"
    operation = "POST /files/:name"
  }

  transform {
    a = "input.a"
    b = "input.b"
  }

  to {
    connector = "files"
    target    = "'notes/' + input.name"
    format    = "tsv"
  }
}

flow "show" {
  from {
    connector = "api"
    operation = "GET /files/:name"
  }

  step "file" {
    connector = "files"
    operation = "read"
    target    = "'notes/' + input.name"
    format    = "lines"
  }

  response {
    lines = "step.file.map(row, row.content)"
  }
}

flow "describe" {
  from {
    connector = "api"
    operation = "GET /described/:name"
  }

  enrich "note" {
    connector = "files"
    operation = "read"
    format    = "text"
    params {
      path = "'notes/' + input.name"
    }
  }

  transform {
    text = "enriched.note"
  }
}

flow "noted" {
  from {
    connector = "api"
    operation = "POST /noted"
  }

  transform {
    n = "input.n"
  }

  response {
    n = "output.n"
  }
}

aspect "note" {
  on   = ["noted"]
  when = "after"

  action {
    connector = "files"
    target    = "noted.data"
    operation = "append"
    format    = "ndjson"

    transform {
      n = "input.n"
    }
  }
}

flow "report" {
  from {
    connector = "api"
    operation = "POST /reports/:year"
  }

  to {
    connector = "files"
    operation = "report"
    params    = { content = "input.items" }
  }
}

flow "fetch_report" {
  from {
    connector = "api"
    operation = "GET /reports/:year"
  }

  to {
    connector = "files"
    operation = "report"
  }
}

flow "log" {
  from {
    connector = "api"
    operation = "POST /log"
  }

  transform {
    day  = "'today'"
    text = "input.text"
  }

  to {
    connector = "files"
    operation = "add_line"
  }
}

flow "export" {
  from {
    connector = "api"
    operation = "POST /export"
  }

  batch {
    source     = "db"
    query      = "SELECT id, name FROM articles ORDER BY id"
    chunk_size = 10

    to {
      connector = "files"
      target    = "export/articles.data"
      operation = "append"
      format    = "csv"
    }
  }
}

flow "import" {
  from {
    connector = "api"
    operation = "POST /import"
  }

  batch {
    source     = "files"
    target     = "input.file"
    params     = { skip_rows = "input.skip", no_header = false }
    chunk_size = 100
    on_error   = "continue"

    transform {
      id   = "int(input.id)"
      name = "input.name"
    }

    to {
      connector = "db"
      target    = "articles"
    }
  }
}

flow "import_report" {
  from {
    connector = "api"
    operation = "POST /import-report"
  }

  batch {
    source    = "files"
    operation = "report"
    params    = { year = "input.year" }

    to {
      connector = "db"
      target    = "articles"
    }
  }
}

flow "count" {
  from {
    connector = "api"
    operation = "GET /count"
  }

  step "rows" {
    connector = "db"
    query     = "SELECT count(*) AS count FROM articles"
  }

  response {
    count = "step.rows.count"
  }
}

flow "arrived" {
  from {
    connector = "inbox"
    operation = "*.csv"
  }

  to {
    connector = "db"
    target    = "articles"

    transform {
      id   = "int(input.id)"
      name = "input.name"
    }
  }
}

# A try that failed continues behind the rows that are written.
flow "send" {
  from {
    connector = "api"
    operation = "POST /send"
  }

  batch {
    source     = "files"
    operation  = "read"
    target     = "input.file"
    chunk_size = 10

    to {
      connector = "shop"
      operation = "POST /articles"
    }
  }

  error_handling {
    retry {
      attempts = 3
      delay    = "10ms"
    }
  }
}

flow "write_report" {
  from {
    connector = "api"
    operation = "POST /written/:name"
  }

  step "written" {
    connector = "files"
    operation = "write"
    target    = "'written/' + input.name"
    params    = { content = "input.rows", columns = ["b", "a"] }
  }

  response {
    bytes = "step.written.written"
  }
}
