test "a browser is sent to the provider, and what begins belongs to who is signed in" {
  flow = "connect"
  auth = { user_id = "ana" }

  mock "company" {
    operation = "authorize"
    result    = { auth_url = "https://id.example.test/authorize?state=s", state = "s" }
  }

  expect {
    status = 302
    output = { provider = "company" }
    call "company" {
      operation = "authorize"
      params    = { binding = "ana" }
      times     = 1
    }
  }
}

test "what comes back is kept with its tokens, for the same person" {
  flow  = "callback"
  auth  = { user_id = "ana" }
  input = { code = "c", state = "s" }

  mock "company" {
    operation = "callback"
    result = {
      provider_id   = "7"
      email         = "ana@example.test"
      access_token  = "a"
      refresh_token = "r"
      expires_in    = 600
    }
  }
  mock "db" {
    result = [{ affected = 1 }]
  }

  expect {
    status = 303
    call "company" {
      operation = "callback"
      times     = 1
    }
    call "db" {
      operation = "UPSERT"
      times     = 1
    }
  }
}

test "a refused sign-in keeps nothing" {
  flow  = "callback"
  auth  = { user_id = "ana" }
  input = { error = "access_denied", state = "s" }

  mock "company" {
    operation = "callback"
    error     = "access_denied"
  }

  expect {
    error = "access_denied"
    call "db" {
      times = 0
    }
  }
}
