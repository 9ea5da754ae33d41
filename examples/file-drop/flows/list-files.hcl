flow "list_files" {
  from {
    connector = "api"
    operation = "GET /files"
  }
  step "files" {
    connector = "partner"
    operation = "list"
    params    = { path = "orders", pattern = "*.csv" }
  }
  response {
    files = "step.files.map(file, { 'name': file.name, 'size': file.size })"
  }
}
