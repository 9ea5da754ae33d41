# A page of ten. `after` of an answer is sent with the request for the next page; without it the first page is read.
flow "list_books" {
  from {
    connector = "api"
    operation = "GET /books"
  }
  to {
    connector = "books"
    operation = "search"
    body = {
      query        = { match_all = {} }
      sort         = [{ year = "asc" }, { id = "asc" }]
      size         = 10
      search_after = "has(input.year) && has(input.id) ? [int(input.year), input.id] : null"
    }
  }
  response {
    books = "output.items.map(book, {'id': book.id, 'title': book.title, 'year': book.year})"
    next  = "size(output.items) < 10 ? null : {'year': output.items[9]._sort[0], 'id': output.items[9]._sort[1]}"
  }
}

flow "find_books" {
  from {
    connector = "api"
    operation = "GET /finds"
  }
  to {
    connector = "books"
    operation = "search"
    body = {
      query = { match = { title = "input.q" } }
      size  = 20
    }
    fields = ["title", "author"]
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

flow "authors" {
  from {
    connector = "api"
    operation = "GET /authors"
  }
  step "counted" {
    connector = "books"
    operation = "aggregate"
    body      = { aggs = { authors = { terms = { field = "author" } } } }
  }
  response {
    authors = "step.counted.aggregations.authors.buckets.map(each, {'name': each.key, 'books': each.doc_count})"
  }
}
