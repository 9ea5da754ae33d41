# {"type": "weigh", "id": "1", "data": {"item": "apples", "grams": 1200}}
flow "weigh" {
  from {
    connector = "scales"
    operation = "weigh"
  }
  validate {
    input = "weighed"
  }
  transform {
    item  = "input.item"
    grams = "int(input.grams)"
  }
  to {
    connector = "db"
    target    = "weighings"
  }
  response {
    label = "input.item + ': ' + string(int(input.grams)) + ' g'"
  }
}

flow "list_weighings" {
  from {
    connector = "api"
    operation = "GET /weighings"
  }
  to {
    connector = "db"
    operation = "SELECT"
    target    = "weighings"
  }
}
