test "a change is noted once, whenever it comes again" {
  flow  = "note"
  input = { trigger = "UPDATE", table = "stock", id = "0/1:1", new = { item = "tea", amount = 4 } }
  mock "db" {
    result = []
  }
  expect {
    disposition = "ack"
    call "db" {
      times = 1
    }
  }
}
