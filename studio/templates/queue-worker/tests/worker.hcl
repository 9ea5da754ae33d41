test "a message becomes a row" {
  flow  = "keep_order"
  input = { body = { customer = "Ada", item = "Engine" } }
  clock = "2026-03-01T08:00:00Z"

  expect {
    call "db" {
      target = "orders"
      times  = 1
      params = { customer = "Ada", item = "Engine", received_at = "2026-03-01T08:00:00Z" }
    }
  }
}
