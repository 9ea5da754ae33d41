flow "pay" {
  from {
    connector = "api"
    operation = "POST /payments"
  }
  transform {
    account = "input.account"
    cents   = "int(input.cents)"
  }
  to {
    connector = "payments"
    params = {
      key     = "output.account"
      headers = { source = "api" }
    }
  }
}

flow "book" {
  from {
    connector = "payments"
  }
  accept {
    when      = "input.body.cents != 0"
    on_reject = "reject"
  }
  transform {
    account = "input.body.account"
    cents   = "input.body.cents"
    place   = "string(input.partition) + '/' + string(input.offset)"
  }
  to {
    connector = "db"
    query     = "INSERT INTO bookings (place, account, cents) VALUES (:place, :account, :cents) ON CONFLICT (place) DO NOTHING"
  }
}

flow "balances" {
  from {
    connector = "api"
    operation = "GET /balances"
  }
  to {
    connector = "db"
    query     = "SELECT account, sum(cents) AS cents FROM bookings GROUP BY account ORDER BY account"
  }
}
