type "product" {
  _key         = "id"
  _description = "Something to buy."
  id           = id
  name         = string({ max_length = 100 })
  price        = number
  kind         = string({ enum = ["book", "record", "other"] })
}

# What a mutation must be sent; its fields are checked before anything is written.
type "new_product" {
  name  = string({ max_length = 100 })
  price = number
  kind  = string({ enum = ["book", "record", "other"], default = "other" })
}

type "review" {
  id         = id
  product_id = id
  stars      = integer({ min = 1, max = 5 })
  text       = string({ required = false, max_length = 1000 })
}

type "new_review" {
  product_id = id
  stars      = integer({ min = 1, max = 5 })
  text       = string({ required = false, max_length = 1000 })
}
