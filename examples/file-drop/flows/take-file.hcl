# An order that is there already is replaced, so that a file can be taken again: after a row that could not be written,
# those before it are there.
flow "take_file" {
  from {
    connector = "api"
    operation = "POST /files/:name"
  }

  batch {
    source     = "partner"
    operation  = "orders"
    params     = { name = "input.name" }
    chunk_size = 500

    transform {
      number   = "input.number"
      customer = "input.customer"
      cents    = "int(double(input.total) * 100.0 + 0.5)"
    }

    to {
      connector = "db"
      target    = "orders"
      operation = "UPSERT"
      conflict  = ["number"]
    }
  }
}
