connector "invoices" {
  type       = "pdf"
  template   = "./templates/invoice.html"
  page_size  = "A4"
  font       = "Helvetica"
  output_dir = "./invoices"
}
