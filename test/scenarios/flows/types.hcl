type "item" {
  name  = string({ min_length = 2, max_length = 20 })
  kind  = string({ enum = ["tool", "paper"], required = false })
  price = number({ min = 0, required = false })
  code  = string({ validator = "code", required = false })
  maker = "maker"
  tags  = array({ items = "string", max_length = 2, required = false })
}

type "maker" {
  email = string({ format = "email" })
}

type "new_item" {
  name  = string({ min_length = 2 })
  kind  = string({ required = false })
  price = number({ required = false })
}

type "shown_item" {
  id    = integer()
  name  = string()
  price = number({ max = 50 })
}

validator "code" {
  type    = "regex"
  pattern = "^[A-Z]{2}-[0-9]+$"
  message = "is two letters and a number"
}
