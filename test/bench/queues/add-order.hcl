flow "add_order" {
  from {
    connector = "orders"
    operation = "#"
  }
  transform {
    id    = "input.body.id"
    name  = "trim(input.body.name)"
    email = "lower(input.body.email)"
    total = "input.body.price * double(input.body.count)"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
