# A body that does not fit is answered with 400, naming every field that is wrong.
type "new_order" {
  customer   = string({ min_length = 1, max_length = 100 })
  email      = string({ format = "email", required = false })
  item       = string({ min_length = 1, max_length = 200 })
  quantity   = integer({ min = 1, max = 1000 })
  unit_price = number({ min = 0 })
}

type "order_change" {
  status = string({ enum = ["open", "paid", "shipped"] })
  note   = string({ required = false, max_length = 500 })
}
