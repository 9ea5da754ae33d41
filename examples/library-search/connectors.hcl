connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# Elasticsearch or OpenSearch: they are asked the same.
connector "books" {
  type     = "search"
  url      = env("SEARCH_URL", "http://localhost:9200")
  username = env("SEARCH_USER", "")
  password = env("SEARCH_PASSWORD", "")
  index    = "books"
  refresh  = "wait_for"
  timeout  = "5s"

  retry {
    attempts = 3
  }

  # Values of a message are data in this body: they are texts, numbers or lists of them.
  operation "of_author" {
    action = "search"
    body = {
      query = { term = { author = ":author" } }
      sort  = [{ year = "desc" }, { id = "asc" }]
      size  = 100
    }
    param "author" {
      required = true
    }
  }
}
