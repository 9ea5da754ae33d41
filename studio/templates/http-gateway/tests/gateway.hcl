test "only what callers need goes out" {
  flow  = "product"
  input = { id = "7" }

  mock "catalog" {
    result = { id = "7", name = "Engine", price = 12.5, supplier = "secret" }
  }

  expect {
    output = { id = "7", name = "Engine", price = 12.5 }
  }
}
