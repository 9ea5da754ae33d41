# A balance is spent by one request at a time.
flow "spend" {
  from {
    connector = "api"
    operation = "POST /accounts/:id/spend"
  }

  lock {
    use = "lock.account"
  }

  step "account" {
    connector = "db"
    query     = "SELECT balance FROM accounts WHERE id = :id"
    params    = { id = "input.id" }
  }

  to {
    connector = "db"
    query     = "UPDATE accounts SET balance = balance - 80 WHERE id = :id"
    when      = "step.account.balance >= 80"
  }
}

flow "spend_declared" {
  from {
    connector = "api"
    operation = "spend"
  }

  lock {
    use = "lock.account"
  }

  step "account" {
    connector = "db"
    query     = "SELECT balance FROM accounts WHERE id = :id"
    params    = { id = "input.id" }
  }

  to {
    connector = "db"
    query     = "UPDATE accounts SET balance = balance - 80 WHERE id = :id"
    when      = "step.account.balance >= 80"
  }
}

flow "get_account" {
  from {
    connector = "api"
    operation = "GET /accounts/:id"
  }

  cache {
    storage = "memory"
    ttl     = "1h"
    key     = "account:${input.id}"
  }

  to {
    connector = "db"
    target    = "accounts"
  }
}

# The operation of the destination declares what `id` is.
flow "get_declared" {
  from {
    connector = "api"
    operation = "GET /declared/:id"
  }

  cache {
    storage = "memory"
    ttl     = "1h"
    key     = "account:${input.id}"
  }

  to {
    connector = "db"
    operation = "account"
  }
}

flow "set_balance" {
  from {
    connector = "api"
    operation = "PATCH /accounts/:id"
  }

  to {
    connector = "db"
    target    = "accounts"
  }

  after {
    invalidate {
      storage = "memory"
      keys    = ["account:${input.id}"]
    }
  }
}
