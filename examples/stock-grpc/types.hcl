type "new_move" {
  sku    = string({ min_length = 1, max_length = 40 })
  amount = number({ min = -1000, max = 1000 })
}
