# A row that is there already gets its new price, so that a list can be taken again.
flow "take_list" {
  from {
    connector = "inbox"
    operation = "*.csv"
  }

  batch {
    source     = "inbox"
    target     = "input._path"
    chunk_size = 500

    transform {
      supplier = "input._batch_input._name.split('-')[0]"
      article  = "input.article"
      cents    = "int(double(input.price) * 100.0 + 0.5)"
    }

    to {
      connector = "db"
      target    = "prices"
      operation = "UPSERT"
      conflict  = ["supplier", "article"]
    }
  }
}
