# The partner finds the orders of each customer as a file.
flow "confirm" {
  from {
    connector = "api"
    operation = "PUT /confirmations/:customer"
  }
  validate {
    input = "customer"
  }
  step "orders" {
    connector = "db"
    query     = "SELECT number, cents FROM orders WHERE customer = :customer ORDER BY number"
    params    = { customer = "input.customer" }
  }
  step "written" {
    connector = "partner"
    operation = "write"
    params = {
      path    = "'confirmations/' + input.customer + '.csv'"
      content = "step.orders"
      columns = ["number", "cents"]
    }
  }
  response {
    file = "step.written.path"
  }
}
