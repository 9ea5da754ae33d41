# A library: books are indexed under their id, searched by words, and counted by author.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "books" {
  type     = "elasticsearch"
  url      = env("SEARCH_URL", "http://localhost:9200")
  username = env("SEARCH_USER", "")
  password = env("SEARCH_PASSWORD", "")
  index    = "books"
  refresh  = "wait_for"

  operation "of_author" {
    action = "search"
    body = {
      query = { term = { "author.keyword" = ":author" } }
      sort  = [{ year = "desc" }]
    }
    param "author" {
      required = true
    }
  }
}

flow "add_book" {
  from {
    connector = "api"
    operation = "POST /books"
  }
  to {
    connector = "books"
    operation = "index"
  }
}

flow "find_books" {
  from {
    connector = "api"
    operation = "GET /books"
  }
  step "found" {
    connector = "books"
    operation = "search"
    body = {
      query = { multi_match = { query = "input.q", fields = ["title^2", "text"] } }
      size  = 20
    }
  }
}

flow "books_of_author" {
  from {
    connector = "api"
    operation = "GET /authors/:author/books"
  }
  to {
    connector = "books"
    operation = "of_author"
  }
}

flow "remove_book" {
  from {
    connector = "api"
    operation = "DELETE /books/:id"
  }
  to {
    connector = "books"
  }
}
