/** A type and a flow such as services are written with. */
export function orderFile(index: number): string {
  return `# Orders, part ${index}
type "order_${index}" {
  id   = string
  name = string({ max_length = 30 })
  note = string({ required = false })
}

flow "create_${index}" {
  from {
    connector = "api"
    operation = "POST /orders/${index}/:customer"
  }
  validate {
    input = "order_${index}"
  }
  step "customer" {
    connector = "db"
    query     = "SELECT * FROM customers WHERE id = :id"
    params    = { id = "input.customer" }
  }
  transform {
    id    = "input.id"
    name  = "lower(input.name) + ' ${index}'"
    email = "step.customer.email ?? 'none'"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
`;
}
