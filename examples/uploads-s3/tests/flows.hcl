test "an invoice is stored under its id" {
  flow  = "store_invoice"
  input = { id = "a-1", customer = "c", cents = 250 }

  mock "invoices" {
    operation = "invoice"
    result    = { key = "a-1.json", bucket = "invoices", etag = "e", size = 41, uploaded = true }
  }

  expect {
    status = 200
  }
}

test "the keys of all invoices are listed" {
  flow = "list_invoices"

  mock "invoices" {
    operation = "list"
    result    = [{ key = "a-1.json", size = 41 }, { key = "a-2.json", size = 40 }]
  }

  expect {
    status = 200
    output = { invoices = ["a-1.json", "a-2.json"] }
  }
}
