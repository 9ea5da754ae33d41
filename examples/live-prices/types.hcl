type "price" {
  symbol   = string({ max_length = 10 })
  price    = number({ min = 0 })
  currency = string({ enum = ["EUR", "USD"] })
}
