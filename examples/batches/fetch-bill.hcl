flow "fetch_bill" {
  from {
    connector = "api"
    operation = "GET /bills/:customer"
  }

  to {
    connector = "db"
    target    = "bills"
  }
}
