flow "add" {
  from {
    connector = "api"
    operation = "POST /books"
  }
  to {
    connector = "books"
    operation = "index"
  }
}

flow "add_elsewhere" {
  from {
    connector = "api"
    operation = "POST /documents/:index"
  }
  to {
    connector = "books"
    target    = "input.index"
  }
}

flow "one" {
  from {
    connector = "api"
    operation = "GET /books/:id"
  }
  to {
    connector = "books"
    operation = "get"
  }
}

flow "change" {
  from {
    connector = "api"
    operation = "PATCH /books/:id"
  }
  to {
    connector = "books"
  }
}

flow "remove" {
  from {
    connector = "api"
    operation = "DELETE /books/:id"
  }
  to {
    connector = "books"
  }
}

flow "import" {
  from {
    connector = "api"
    operation = "POST /imports"
  }
  to {
    connector = "books"
    operation = "bulk"
  }
}

flow "find" {
  from {
    connector = "api"
    operation = "GET /books"
  }
  step "found" {
    connector = "books"
    operation = "search"
    body = {
      query = { bool = { must = [{ match = { title = "input.q" } }] } }
      size  = 5
    }
    fields = ["title"]
  }
  step "number" {
    connector = "books"
    operation = "count"
    body      = { match = { title = "input.q" } }
  }
  response {
    books = "step.found"
    total = "step.number.count + 0"
  }
}

flow "ask" {
  from {
    connector = "api"
    operation = "POST /questions"
  }
  step "found" {
    connector = "books"
    operation = "search"
    body      = { query = { match = { title = "input.q" } } }
  }
}

flow "longer" {
  from {
    connector = "api"
    operation = "GET /longer/:pages"
  }
  to {
    connector = "books"
    operation = "longer_than"
  }
}

flow "number" {
  from {
    connector = "api"
    operation = "GET /number"
  }
  enrich "books" {
    connector = "books"
    operation = "number"
  }
  response {
    number = "enriched.books.count"
  }
}

flow "tags" {
  from {
    connector = "api"
    operation = "GET /tags"
  }
  step "found" {
    connector = "books"
    operation = "aggregate"
    body      = { aggs = { tags = { terms = { field = "tag.keyword" } } } }
  }
  response {
    tags = "step.found.aggregations.tags.buckets"
  }
}

flow "sell" {
  from {
    connector = "api"
    operation = "POST /books/:id/sales"
  }
  step "sold" {
    connector     = "books"
    operation     = "update"
    params        = { id = "input.id" }
    script        = "ctx._source.pages += params.n"
    script_params = { n = "input.n" }
  }
}
