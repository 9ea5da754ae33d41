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
