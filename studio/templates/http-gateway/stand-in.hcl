# Answers as the other service would. Remove this file when CATALOG_URL names a real one.
flow "example_product" {
  from {
    connector = "api"
    operation = "GET /stand-in/products/:id"
  }

  response {
    id        = "input.id"
    name      = "'Product ' + input.id"
    price     = "9.5"
    supplier  = "'Only for the inside'"
    warehouse = "'Hall 3'"
  }
}
