connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "documents" {
  type       = "pdf"
  template   = "./templates/invoice.html"
  output_dir = env("INVOICES", "./kept")
}
