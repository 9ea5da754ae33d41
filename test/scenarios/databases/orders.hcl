flow "order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }

  transform {
    customer = "trim(input.customer)"
  }

  to {
    connector = "db"

    transaction {
      exec {
        query   = "INSERT INTO orders (customer) VALUES (:customer) RETURNING id"
        params  = { customer = "output.customer" }
        capture = "order"
      }
      each "line" in "input.lines" {
        exec {
          query  = "INSERT INTO order_lines (order_id, position, sku, quantity) VALUES (:order, :position, :sku, :quantity)"
          params = { order = "captured.order", position = "line_index", sku = "line.sku", quantity = "line.quantity" }
        }
        each "note" in "line.notes ?? []" {
          exec {
            when   = "note != ''"
            query  = "INSERT INTO line_notes (order_id, sku, position, note) VALUES (:order, :sku, :position, :note)"
            params = { order = "captured.order", sku = "line.sku", position = "note_index", note = "note" }
          }
        }
      }
      exec {
        query  = "UPDATE orders SET lines = (SELECT count(*) FROM order_lines WHERE order_id = :order) WHERE id = :order"
        params = { order = "captured.order" }
      }
      exec {
        query   = "SELECT lines FROM orders WHERE id = :order"
        params  = { order = "captured.order" }
        capture = "lines"
      }
    }
  }
}

# Loops over whatever the message holds.
flow "order_any" {
  from {
    connector = "api"
    operation = "POST /orders/any"
  }

  to {
    connector = "db"

    transaction {
      exec {
        query   = "INSERT INTO orders (customer) VALUES ('any') RETURNING id"
        capture = "order"
      }
      each "line" in "input.lines ?? null" {
        exec {
          query  = "INSERT INTO order_lines (order_id, position, sku, quantity) VALUES (:order, 0, :sku, 1)"
          params = { order = "captured.order", sku = "line" }
        }
      }
    }
  }
}

flow "counts" {
  from {
    connector = "api"
    operation = "GET /counts"
  }

  to {
    connector = "db"
    query     = "SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM order_lines) AS lines, (SELECT count(*) FROM line_notes) AS notes"
  }
}
