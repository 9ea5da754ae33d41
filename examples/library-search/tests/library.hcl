test "a page begins after the row that the caller names, and says where the next one begins" {
  flow  = "list_books"
  input = { year = "1850", id = "b10" }

  mock "books" {
    operation = "search"
    result    = [{ id = "b11", title = "emma", year = 1851, _sort = [1851, "b11"] }]
  }

  expect {
    status = 200
    output = { books = [{ id = "b11", title = "emma", year = 1851 }], next = null }
  }
}

test "a book that is missing is 404" {
  flow  = "read_book"
  input = { id = "none" }

  mock "books" {
    operation = "get"
    result    = []
  }

  expect {
    status = 404
    output = { book = null }
  }
}

test "an import writes each book under its id" {
  flow  = "import_books"
  input = { books = [{ id = "b1", title = "emma", author = "austen", year = 1815 }] }

  mock "books" {
    operation = "bulk"
    result    = { affected = 1 }
  }

  expect {
    call "books" {
      operation = "bulk"
      times     = 1
      params    = { items = [{ _id = "b1", id = "b1", title = "emma", author = "austen", year = 1815 }] }
    }
  }
}

test "a search engine that cannot be reached fails the request" {
  flow  = "authors"
  input = {}

  mock "books" {
    operation = "aggregate"
    error     = "connector_refused"
  }

  expect {
    error = "connector_refused"
  }
}
