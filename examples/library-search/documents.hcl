# The document is written under its `id`; one that has it already is replaced.
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

# Many books in one request. If the server refuses one, the answer names it, and the others are written.
flow "import_books" {
  from {
    connector = "api"
    operation = "POST /imports"
  }
  transform {
    items = "input.books.map(book, {'_id': book.id, 'id': book.id, 'title': book.title, 'author': book.author, 'year': book.year})"
  }
  to {
    connector = "books"
    operation = "bulk"
  }
}

flow "read_book" {
  from {
    connector = "api"
    operation = "GET /books/:id"
  }
  step "book" {
    connector = "books"
    operation = "get"
    params    = { id = "input.id" }
    default   = null
  }
  response {
    http_status_code = "step.book == null ? '404' : '200'"
    book             = "step.book"
  }
}

flow "sell_book" {
  from {
    connector = "api"
    operation = "POST /books/:id/sales"
  }
  step "sold" {
    connector     = "books"
    operation     = "update"
    params        = { id = "input.id" }
    script        = "ctx._source.sold += params.n"
    script_params = { n = "int(input.n)" }
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
