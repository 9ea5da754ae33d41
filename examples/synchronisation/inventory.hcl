# Counting everything is expensive: two at a time. Others wait, at most five seconds.
flow "inventory" {
  from {
    connector = "api"
    operation = "GET /inventory"
  }

  semaphore {
    key         = "inventory"
    max_permits = 2
    timeout     = "5s"
  }

  to {
    connector = "db"
    query     = "SELECT sku, quantity FROM stock ORDER BY sku"
  }

  response {
    items = "output.items"
    total = "sum(output.items.map(item, item.quantity))"
  }
}
