flow "record_move" {
  from {
    connector = "rpc"
    operation = "stock.Stock/CreateMove"
  }
  validate {
    input = "new_move"
  }
  transform {
    sku    = "upper(input.sku)"
    amount = "input.amount"
  }
  to {
    connector = "db"
    target    = "moves"
  }
}

flow "list_moves" {
  from {
    connector = "rpc"
    operation = "stock.Stock/ListMoves"
  }
  to {
    connector = "db"
    target    = "moves"
  }
}

flow "stream_moves" {
  from {
    connector = "rpc"
    operation = "stock.Stock/StreamMoves"
  }
  to {
    connector = "db"
    target    = "moves"
  }
}

flow "moves_over_http" {
  from {
    connector = "api"
    operation = "GET /moves"
  }
  to {
    connector = "db"
    target    = "moves"
  }
}
