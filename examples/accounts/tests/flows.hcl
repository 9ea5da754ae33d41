test "the profile needs a caller that is signed in" {
  flow = "profile"

  expect {
    status = 401
  }
}

test "the profile is that of the caller" {
  flow = "profile"
  auth = { user_id = "7", email = "ana@example.test", roles = ["editor"] }

  expect {
    status = 200
    output = { hello = "ana@example.test", roles = ["editor"] }
  }
}

test "the accounts are for administrators" {
  flow = "list_accounts"
  auth = { user_id = "7", email = "ana@example.test", roles = ["editor"] }

  expect {
    status = 403
    call "db" {
      times = 0
    }
  }
}

test "an administrator sees the accounts" {
  flow = "list_accounts"
  auth = { user_id = "1", email = "root@example.test", roles = ["admin"] }

  mock "db" {
    result = [{ email = "ana@example.test", roles = "" }]
  }

  expect {
    status = 200
    output = [{ email = "ana@example.test", roles = "" }]
  }
}

test "who forgot a password is sent a link" {
  flow  = "send_reset_link"
  input = { auth = { email = "ana@example.test", reset_url = "http://localhost:3000/reset-password#token=x" } }

  expect {
    call "mailer" {
      operation = "send"
      times     = 1
      params = {
        to       = "ana@example.test"
        subject  = "Set a new password"
        textBody = "A new password was asked for. Set it here: http://localhost:3000/reset-password#token=x"
      }
    }
  }
}

test "the export needs a second factor" {
  flow = "export_account"
  auth = { user_id = "7", email = "ana@example.test", roles = ["editor"] }

  expect {
    status = 403
    error  = "mfa_step_up_required"
  }
}

test "a second factor that was proved lately is enough for the export" {
  flow = "export_account"
  auth = { user_id = "7", email = "ana@example.test", roles = ["editor"], mfa = "14m" }

  expect {
    status = 200
    output = { email = "ana@example.test", roles = ["editor"] }
  }
}
