type "sale" {
  sku    = string({ min_length = 1, max_length = 40 })
  amount = integer({ min = 1, max = 1000 })
}

flow "sell" {
  from {
    connector = "api"
    operation = "POST /sales"
  }

  validate {
    input = "sale"
  }

  step "taken" {
    connector = "stock"
    operation = "stock.Stock/CreateMove"
    params {
      sku    = "input.sku"
      amount = "-input.amount"
    }
  }

  step "stock" {
    connector = "stock"
    operation = "stock.Stock/ListMoves"
    params {
      sku = "step.taken.sku"
    }
  }

  response {
    http_status_code = "201"
    sku              = "step.taken.sku"
    left             = "sum(step.stock.moves.map(move, move.amount))"
  }
}

flow "stock_of" {
  from {
    connector = "api"
    operation = "GET /stock/:sku"
  }

  step "stock" {
    connector = "stock"
    operation = "stock.Stock/ListMoves"
    params {
      sku = "input.sku"
    }
  }

  response {
    sku   = "input.sku"
    moves = "step.stock.moves.map(move, move.amount)"
    left  = "sum(step.stock.moves.map(move, move.amount))"
  }
}
