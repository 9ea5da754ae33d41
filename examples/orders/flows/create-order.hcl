flow "create_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }

  validate {
    input = "new_order"
  }

  # One column of the new row per line, in CEL.
  transform {
    customer   = "trim(input.customer)"
    email      = "lower(input.email ?? '')"
    item       = "input.item"
    quantity   = "input.quantity"
    unit_price = "input.unit_price"
    total      = "input.quantity * input.unit_price"
    status     = "'open'"
    created_at = "now()"
  }

  to {
    connector = "db"
    target    = "orders"
  }

  response {
    http_status_code = "201"
    id               = "output.id"
    href             = "'/orders/' + string(output.id)"
  }

  # Lists that were cached are out of date now, and so is an earlier "not there" under this number.
  after {
    invalidate {
      storage   = "cache"
      keys_from = "['order:' + string(output.id)]"
      patterns  = ["orders:*"]
    }
  }
}
