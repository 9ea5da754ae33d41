# Names that lead to no other folder.
type "file" {
  name = string({ pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]*$" })
}

type "customer" {
  customer = string({ pattern = "^[a-z]+$" })
}
