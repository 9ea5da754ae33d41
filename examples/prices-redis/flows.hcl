flow "change" {
  from {
    connector = "api"
    operation = "POST /prices/:item"
  }
  transform {
    item  = "input.item"
    price = "double(input.price)"
  }
  to {
    connector = "prices"
    target    = "env('PREFIX', 'prices') + '.' + output.item"
  }
}

flow "follow" {
  from {
    connector = "prices"
  }
  transform {
    item  = "input.item"
    price = "input.price"
  }
  to {
    connector = "db"
    target    = "prices"
    operation = "UPSERT"
    conflict  = ["item"]
  }
}

flow "known" {
  from {
    connector = "api"
    operation = "GET /prices"
  }
  to {
    connector = "db"
    query     = "SELECT item, price FROM prices ORDER BY item"
  }
}
