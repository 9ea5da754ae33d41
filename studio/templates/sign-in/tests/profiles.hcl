test "a new account has a profile" {
  flow  = "welcome"
  input = { auth = { user_id = "7", email = "ana@example.test" } }
  clock = "2026-03-01T08:00:00Z"

  expect {
    call "db" {
      target = "profiles"
      times  = 1
      params = { email = "ana@example.test", name = "ana", since = "2026-03-01T08:00:00Z" }
    }
  }
}

test "the profile needs a caller that is signed in" {
  flow = "profile"

  expect {
    status = 401
  }
}

test "profiles are for administrators" {
  flow = "list_profiles"
  auth = { user_id = "7", email = "ana@example.test", roles = ["editor"] }

  expect {
    status = 403
  }
}
