test "a sale is taken from the stock" {
  flow  = "sell"
  input = { sku = "pears", amount = 2 }

  mock "stock" {
    operation = "stock.Stock/CreateMove"
    result    = { id = 2, sku = "PEARS", amount = -2 }
  }
  mock "stock" {
    operation = "stock.Stock/ListMoves"
    result    = { moves = [{ amount = 12 }, { amount = -2 }] }
  }

  expect {
    status = 201
    output = { sku = "PEARS", left = 10 }

    call "stock" {
      operation = "stock.Stock/CreateMove"
      times     = 1
      params    = { sku = "pears", amount = -2 }
    }
  }
}
