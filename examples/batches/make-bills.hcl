flow "make_bills" {
  from {
    connector = "api"
    operation = "POST /bills"
  }

  # Another request for the same month meanwhile is refused.
  lock {
    key  = "'bills:' + input.month"
    wait = false
  }

  batch {
    source     = "db"
    query      = "SELECT customer, sum(cents) AS cents FROM charges WHERE month = :month AND customer > :after GROUP BY customer ORDER BY customer"
    params     = { month = "input.month", after = "input.after ?? 0" }
    chunk_size = 25
    on_error   = "continue"

    transform {
      customer = "input.customer"
      month    = "input._batch_input.month"
      cents    = "input.cents + int(input._batch_input.fee)"
    }

    to {
      connector = "db"
      operation = "keep_bill"
    }
  }

  response {
    made    = "output.processed"
    failed  = "output.failed"
    chunks  = "output.chunks"
    reasons = "output.errors"
  }
}
