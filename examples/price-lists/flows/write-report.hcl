flow "write_report" {
  from {
    connector = "api"
    operation = "PUT /reports/:day"
  }

  step "prices" {
    connector = "db"
    query     = "SELECT article, min(cents) AS cents, count(*) AS suppliers FROM prices GROUP BY article ORDER BY article"
  }

  to {
    connector = "reports"
    operation = "report"
    params = {
      content = "step.prices"
      columns = ["article", "cents", "suppliers"]
    }
  }
}
