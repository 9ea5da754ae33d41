test "a product is kept without the blanks around its name" {
  flow  = "create_product"
  input = { name = " Kind of Blue ", price = 20 }

  mock "db" {
    result = { id = 2, affected = 1 }
  }

  expect {
    call "db" {
      params = { name = "Kind of Blue", price = 20 }
    }
  }
}

test "a product without a name is refused" {
  flow  = "create_product"
  input = { name = "", price = 20 }

  expect {
    error = "input_invalid"
  }
}
