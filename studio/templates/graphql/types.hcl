type "product" {
  _description = "Something to buy."
  id           = id
  name         = string({ max_length = 100 })
  price        = number
}

# What a mutation must be sent; its fields are checked before anything is written.
type "new_product" {
  name  = string({ min_length = 1, max_length = 100 })
  price = number({ min = 0 })
}
