# The table has no key: a row that is written twice is there twice.
flow "copy" {
  from {
    connector = "api"
    operation = "POST /copy"
  }

  batch {
    source     = "rows"
    query      = "WITH RECURSIVE numbers (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers WHERE id < 20000) SELECT id FROM numbers ORDER BY id"
    chunk_size = 2000

    transform {
      id   = "input.id"
      text = "'row ' + string(input.id)"
    }

    to {
      connector = "db"
      target    = "ledger"
    }
  }

  error_handling {
    retry {
      attempts  = 100
      delay     = "50ms"
      max_delay = "100ms"
    }
  }
}

flow "once" {
  from {
    connector = "api"
    operation = "POST /once"
  }

  batch {
    source     = "rows"
    query      = "WITH RECURSIVE numbers (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers WHERE id < 20000) SELECT id FROM numbers ORDER BY id"
    chunk_size = 2000

    transform {
      id   = "input.id"
      text = "'row ' + string(input.id)"
    }

    to {
      connector = "db"
      target    = "ledger"
    }
  }
}

flow "lenient" {
  from {
    connector = "api"
    operation = "POST /lenient"
  }

  batch {
    source     = "rows"
    query      = "WITH RECURSIVE numbers (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers WHERE id < 20000) SELECT id FROM numbers ORDER BY id"
    chunk_size = 2000
    on_error   = "continue"

    transform {
      id   = "input.id"
      text = "'row ' + string(input.id)"
    }

    to {
      connector = "db"
      target    = "ledger"
    }
  }
}
