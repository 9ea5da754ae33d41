flow "take_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  to {
    connector = "shop"
    transaction {
      exec {
        query   = "{\"insert\": \"orders\", \"documents\": [{\"customer\": \":customer\", \"total\": \":total\", \"lines\": \":lines\", \"state\": \"open\"}]}"
        params  = { customer = "input.customer", total = "input.total", lines = "input.lines" }
        capture = "order"
      }
      each "line" in "input.lines" {
        exec {
          query   = "{\"find\": \"stock\", \"filter\": {\"_id\": \":sku\", \"left\": {\"$gte\": \":count\"}}, \"projection\": {\"_id\": 1}}"
          params  = { sku = "line.sku", count = "line.count" }
          capture = "found"
        }
        exec {
          # A line of which too little is left makes an entry that exists already, and everything is undone.
          when   = "captured.found == null"
          query  = "{\"insert\": \"orders\", \"documents\": [{\"_id\": \":order\"}]}"
          params = { order = "captured.order" }
        }
        exec {
          query  = "{\"update\": \"stock\", \"updates\": [{\"q\": {\"_id\": \":sku\"}, \"u\": {\"$inc\": {\"left\": \":change\"}}}]}"
          params = { sku = "line.sku", change = "-line.count" }
        }
      }
    }
  }
  response {
    id = "output.captured.order"
  }
  error_handling {
    error_response {
      status = 409
      body = {
        error = "'too little is left'"
      }
    }
  }
}

flow "list_orders" {
  from {
    connector = "api"
    operation = "GET /orders"
  }
  to {
    connector = "shop"
    operation = "orders_from"
  }
}

flow "pay_order" {
  from {
    connector = "api"
    operation = "PUT /orders/:id"
  }
  to {
    connector = "shop"
    target    = "orders"
    update    = { "$set" = { state = "paid", paid = "timestamp(now())" }, "$inc" = { changes = 1 } }
  }
}

flow "sales" {
  from {
    connector = "api"
    operation = "GET /sales/:state"
  }
  to {
    connector = "shop"
    operation = "sales"
  }
}

flow "stock" {
  from {
    connector = "api"
    operation = "POST /stock"
  }
  to {
    connector = "shop"
    target    = "stock"
  }
}
