flow "page" {
  from {
    connector = connector.api
    operation = "GET /"
  }
  response {
    _binary       = "bytes(constants.page)"
    _content_type = "'text/html; charset=utf-8'"
  }
}

# The links of mails lead here. What is behind `#` in them is not sent to the service; the page reads it.
flow "reset_page" {
  from {
    connector = connector.api
    operation = "GET /reset-password"
  }
  response {
    _binary       = "bytes(constants.page)"
    _content_type = "'text/html; charset=utf-8'"
  }
}

flow "page_script" {
  from {
    connector = connector.api
    operation = "GET /page.js"
  }
  response {
    _binary       = "bytes(constants.page_script)"
    _content_type = "'text/javascript; charset=utf-8'"
  }
}

flow "requests_script" {
  from {
    connector = connector.api
    operation = "GET /requests.js"
  }
  response {
    _binary       = "bytes(constants.requests_script)"
    _content_type = "'text/javascript; charset=utf-8'"
  }
}

flow "worker_script" {
  from {
    connector = connector.api
    operation = "GET /worker.js"
  }
  response {
    _binary       = "bytes(constants.worker_script)"
    _content_type = "'text/javascript; charset=utf-8'"
  }
}
