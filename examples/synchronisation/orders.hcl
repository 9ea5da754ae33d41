# A line may arrive before its order. It waits for the signal that the order is there.
coordinate "order" {
  storage {
    driver = "memory"
  }
}

flow "add_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }

  coordinate {
    use = coordinate.order

    signal {
      when = "true"
      emit = "'order:' + string(output.id)"
      ttl  = "1m"
    }
  }

  transform {
    id       = "int(input.id)"
    customer = "input.customer"
  }

  to {
    connector = "db"
    target    = "orders"
  }
}

flow "add_line" {
  from {
    connector = "api"
    operation = "POST /orders/:id/lines"
  }

  coordinate {
    use     = coordinate.order
    timeout = "10s"

    # The order may have been there for longer than the signal is remembered.
    preflight {
      connector = "db"
      query     = "SELECT 1 FROM orders WHERE id = :id"
      params    = { id = "input.id" }
    }

    wait {
      when = "true"
      for  = "'order:' + string(input.id)"
    }
  }

  transform {
    order_id = "int(input.id)"
    sku      = "input.sku"
  }

  to {
    connector = "db"
    target    = "lines"
  }
}
