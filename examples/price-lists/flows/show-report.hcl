flow "show_report" {
  from {
    connector = "api"
    operation = "GET /reports/:day"
  }

  to {
    connector = "reports"
    operation = "report"
  }
}
