flow "take" {
  from {
    connector = "orders"
  }
}
