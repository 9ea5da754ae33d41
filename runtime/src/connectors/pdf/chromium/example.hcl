connector "brochures" {
  type       = "pdf"
  driver     = "chromium"
  template   = "./templates/invoice.html"
  page_size  = "A4"
  output_dir = "./brochures"
}
