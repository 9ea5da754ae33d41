type "invoice" {
  number   = string({ pattern = "^[A-Z0-9-]{1,30}$" })
  customer = string({ max_length = 200 })
  lines    = array
}

# The document itself: curl -OJ saves it under its name.
flow "print_invoice" {
  from {
    connector = "api"
    operation = "POST /invoices"
  }
  validate {
    input = "invoice"
  }
  transform {
    number   = "input.number"
    customer = "input.customer"
    lines    = "input.lines"
    total    = "sum(input.lines.map(line, double(line.count) * double(line.price)))"
    filename = "'invoice-' + input.number + '.pdf'"
  }
  to {
    connector = "documents"
    operation = "generate"
  }
}

# The document as a file, in a folder for each customer.
flow "keep_invoice" {
  from {
    connector = "api"
    operation = "POST /customers/:customer/invoices"
  }
  validate {
    input = "invoice"
  }
  transform {
    number   = "input.number"
    customer = "input.customer"
    lines    = "input.lines"
    total    = "sum(input.lines.map(line, double(line.count) * double(line.price)))"
    filename = "input.customer + '/' + input.number + '.pdf'"
  }
  to {
    connector = "documents"
    operation = "save"
  }
  response {
    kept = "output.filename"
    size = "output.size"
  }
}

# A GET answers what the template makes of it: another one of the same folder.
flow "terms" {
  from {
    connector = "api"
    operation = "GET /terms"
  }
  transform {
    template = "'terms.html'"
    filename = "'terms.pdf'"
    company  = "'Example & Sons'"
  }
  to {
    connector = "documents"
  }
}
