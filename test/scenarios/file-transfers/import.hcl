# Rows of a file of any size, in memory that does not grow with it.
flow "import" {
  from {
    connector = "api"
    operation = "POST /import/:name"
  }

  batch {
    source     = "store"
    operation  = "read"
    target     = "rows.ndjson"
    chunk_size = 1000

    transform {
      id   = "input.id"
      name = "upper(input.name)"
      note = "input.note"
    }

    to {
      connector = "db"
      target    = "people"
    }
  }
}
