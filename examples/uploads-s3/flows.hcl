flow "store_invoice" {
  from {
    connector = "api"
    operation = "POST /invoices/:id"
  }
  transform {
    id       = "input.id"
    customer = "input.customer"
    cents    = "input.cents"
  }
  to {
    connector = "invoices"
    operation = "invoice"
  }
}

flow "list_invoices" {
  from {
    connector = "api"
    operation = "GET /invoices"
  }
  step "found" {
    connector = "invoices"
    operation = "list"
  }
  response {
    invoices = "step.found.map(each, each.key)"
  }
}

flow "read_invoice" {
  from {
    connector = "api"
    operation = "GET /invoices/:id"
  }
  step "invoice" {
    connector = "invoices"
    operation = "invoice"
    params = {
      id = "input.id"
    }
  }
  response {
    customer = "step.invoice.customer"
    cents    = "step.invoice.cents"
  }
}

# A link with which a browser reads the invoice from the store itself, for five minutes.
flow "link_invoice" {
  from {
    connector = "api"
    operation = "GET /invoices/:id/link"
  }
  step "link" {
    connector = "invoices"
    operation = "presign_get"
    params = {
      key     = "input.id + '.json'"
      expires = "5m"
    }
  }
  response {
    url     = "step.link.url"
    expires = "step.link.expires"
  }
}
