connector "cache" {
  type      = "cache"
  driver    = "memory"
  max_items = 1000
}
