test "an invoice is printed with its total, under its number" {
  flow  = "print_invoice"
  input = { number = "2026-7", customer = "Ada", lines = [{ text = "Lamp", count = 2, price = 12.5 }] }

  mock "documents" {
    operation = "generate"
    result    = [{ size = 1000 }]
  }

  expect {
    output = { size = 1000 }
  }
}
