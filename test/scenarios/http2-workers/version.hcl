flow "version" {
  from {
    connector = "api"
    operation = "GET /version"
  }

  response {
    version = "'0'"
  }
}
