test "an attempt is counted" {
  flow  = "try_code"
  input = { phone = "555" }

  mock "counters" {
    operation = "increment"
    result    = { value = 2, allowed = true }
  }

  mock "counters" {
    operation = "ttl"
    result    = 600
  }

  expect {
    status = 200
    output = { allowed = true, left = 3, wait_seconds = 0 }
  }
}

test "one attempt too many is refused, with the time to wait" {
  flow  = "try_code"
  input = { phone = "555" }

  mock "counters" {
    operation = "increment"
    result    = { value = 5, allowed = false }
  }

  mock "counters" {
    operation = "ttl"
    result    = 420
  }

  expect {
    status = 429
    output = { allowed = false, left = 0, wait_seconds = 420 }
  }
}
