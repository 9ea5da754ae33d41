service {
  name       = "library"
  admin_port = env("ADMIN_PORT", "0")
}

connector "api" {
  type = "rest"
  port = env("PORT", "0")
}

connector "books" {
  type     = "opensearch"
  url      = env("SEARCH_URL")
  username = "library"
  password = env("SEARCH_PASSWORD", "kept-secret")
  index    = "books"
  indices  = ["authors"]

  operation "longer_than" {
    action = "search"
    body = {
      query = { range = { pages = { gte = ":pages" } } }
      sort  = [{ pages = "asc" }]
    }
    param "pages" {
      type     = "integer"
      required = true
    }
  }
  operation "number" {
    action = "count"
  }
}
