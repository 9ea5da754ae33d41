test "each row of a list is a price of its supplier" {
  flow  = "take_list"
  input = { _path = "acme-2026-03.csv", _name = "acme-2026-03.csv" }

  mock "inbox" {
    result = [
      { article = "A-1", price = "12.50" },
      { article = "A-2", price = "0.99" },
    ]
  }

  expect {
    call "db" {
      times  = 2
      params = { supplier = "acme" }
    }
  }
}

test "a report is written in the order of its columns" {
  flow  = "write_report"
  input = { day = "2026-03-01" }

  mock "db" {
    result = [{ article = "A-1", cents = 1250, suppliers = 1 }]
  }

  expect {
    status = 200
    call "reports" {
      times = 1
    }
  }
}

test "a day is a day" {
  flow  = "write_report"
  input = { day = "../prices" }

  expect {
    status = 400
    call "reports" {
      times = 0
    }
  }
}
