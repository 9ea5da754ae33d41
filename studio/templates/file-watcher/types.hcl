# Names that lead to no other folder.
type "reading" {
  name       = string({ pattern = "^[A-Za-z0-9_-]+$" })
  sensor     = string({ min_length = 1, max_length = 100 })
  fahrenheit = number
}
