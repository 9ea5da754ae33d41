type "weighed" {
  item  = string({ min_length = 1, max_length = 40 })
  grams = number({ min = 1 })
}
