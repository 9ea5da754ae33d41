# The flows say what they do, and nothing of history, limits, caches and headers.
flow "list_books" {
  from {
    connector = "api"
    operation = "GET /books"
  }

  to {
    connector = "db"
    query     = "SELECT id, title, copies FROM books ORDER BY id"
  }
}

flow "get_book" {
  from {
    connector = "api"
    operation = "GET /books/:id"
  }

  to {
    connector = "db"
    target    = "books"
  }
}

flow "add_book" {
  from {
    connector = "api"
    operation = "POST /books"
  }

  accept {
    when = "size(input.title) > 0"
  }

  transform {
    title  = "input.title"
    copies = "input.copies ?? 1"
  }

  to {
    connector = "db"
    target    = "books"
  }
}

flow "change_book" {
  from {
    connector = "api"
    operation = "PATCH /books/:id"
  }

  transform {
    copies = "input.copies"
  }

  to {
    connector = "db"
    target    = "books"
  }
}
