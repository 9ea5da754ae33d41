test "a review needs between one and five stars" {
  flow  = "add_review"
  input = { product_id = "1", stars = 9 }

  expect {
    error = "input_invalid"
  }
}

test "a product without a kind is of another" {
  flow  = "create_product"
  input = { name = "Kind of Blue", price = 20 }

  mock "db" {
    result = { id = 2, affected = 1 }
  }

  expect {
    call "db" {
      params = { name = "Kind of Blue", price = 20, kind = "other" }
    }
  }
}
