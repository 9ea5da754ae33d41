# Writing is slow, so that a process can be killed meanwhile.
flow "copy" {
  from {
    connector = "api"
    operation = "POST /copy"
  }

  batch {
    source     = "db"
    query      = "SELECT id FROM numbers ORDER BY id"
    chunk_size = 500

    transform {
      id = "input.id"
    }

    to {
      connector = "db"
      operation = "keep_copy"
    }
  }
}

# The table refuses multiples of 700.
flow "strict" {
  from {
    connector = "api"
    operation = "POST /strict"
  }

  batch {
    source     = "db"
    query      = "SELECT id FROM numbers ORDER BY id"
    chunk_size = 500

    to {
      connector = "db"
      target    = "strict"
    }
  }
}

flow "lenient" {
  from {
    connector = "api"
    operation = "POST /lenient"
  }

  batch {
    source     = "db"
    query      = "SELECT id FROM numbers WHERE id > :after ORDER BY id"
    params     = { after = "input.after" }
    chunk_size = 500
    on_error   = "continue"

    to {
      connector = "db"
      target    = "lenient"
    }
  }
}

flow "count" {
  from {
    connector = "api"
    operation = "GET /count"
  }

  to {
    connector = "db"
    query     = "SELECT (SELECT count(*) FROM copies) AS copies, (SELECT count(*) FROM copies WHERE times = 2) AS again, (SELECT max(id) FROM copies WHERE times = 2) AS last_again, (SELECT count(*) FROM strict) AS strict, (SELECT count(*) FROM lenient) AS lenient, (SELECT sum(times) FROM again) AS times"
  }
}

# Rows that are written at once; a repetition changes them.
flow "again" {
  from {
    connector = "api"
    operation = "POST /again"
  }

  batch {
    source     = "db"
    query      = "SELECT id FROM numbers ORDER BY id"
    chunk_size = 1500

    transform {
      id    = "input.id"
      times = "input._batch_input.times"
    }

    to {
      connector = "db"
      target    = "again"
      operation = "UPSERT"
      conflict  = ["id"]
    }
  }
}

flow "plain" {
  from {
    connector = "api"
    operation = "POST /plain"
  }

  batch {
    source     = "db"
    query      = "SELECT id, :times AS times FROM numbers ORDER BY id"
    params     = { times = "input.times" }
    chunk_size = 1500

    to {
      connector = "db"
      target    = "again"
    }
  }
}
