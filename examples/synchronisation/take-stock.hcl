# Two requests for the last piece: the second one waits for the first, and then sees that nothing is left.
flow "take_stock" {
  from {
    connector = "api"
    operation = "POST /stock/:sku/take"
  }

  lock {
    key     = "'stock:' + input.sku"
    timeout = "8s"
    retry   = "20ms"
  }

  step "item" {
    connector = "db"
    query     = "SELECT quantity FROM stock WHERE sku = :sku"
    params    = { sku = "input.sku" }
  }

  # The token grows with every lock on a key. A write that comes too late has a smaller one than the row, and changes
  # nothing.
  transform {
    sku      = "input.sku"
    quantity = "step.item.quantity - int(input.quantity)"
    fence    = "lock.token"
  }

  to {
    connector = "db"
    query     = "UPDATE stock SET quantity = :quantity, fence = :fence WHERE sku = :sku AND fence < :fence AND :quantity >= 0"
  }

  response {
    http_status_code = "output.affected == 1 ? 200 : 409"
    left             = "step.item.quantity - (output.affected == 1 ? int(input.quantity) : 0)"
  }
}
