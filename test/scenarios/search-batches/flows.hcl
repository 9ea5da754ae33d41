flow "copy" {
  from {
    connector = "api"
    operation = "POST /copy"
  }

  batch {
    source     = "db"
    query      = "WITH RECURSIVE numbers (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers WHERE id < 2500) SELECT id FROM numbers ORDER BY id"
    chunk_size = 1250
    on_error   = "continue"

    transform {
      id    = "'b' + string(input.id)"
      title = "'title ' + string(input.id)"
    }

    to {
      connector = "books"
    }
  }
}
