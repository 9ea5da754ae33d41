type "reading" {
  sensor  = string({ min_length = 1, max_length = 100 })
  celsius = number
  owner   = string({ required = false, format = "email" })
}
