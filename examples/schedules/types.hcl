type "cart" {
  customer = string({ min_length = 1 })
  items    = integer({ min = 1, default = 1 })
  minutes  = number({ min = 0, default = 30, description = "How long the cart is kept." })
}
