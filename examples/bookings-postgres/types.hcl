type "new_booking" {
  event_id = integer({ min = 1 })
  guests   = array()
}
