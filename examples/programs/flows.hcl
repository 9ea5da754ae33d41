flow "count_words" {
  from {
    connector = "api"
    operation = "POST /counts"
  }
  step "counted" {
    connector = "words"
    stdin     = "input.text"
  }
  response {
    words = "int(step.counted.output.trim())"
  }
}

flow "sort_lines" {
  from {
    connector = "api"
    operation = "POST /sorted"
  }
  step "up" {
    connector = "lines"
    operation = "ascending"
    stdin     = "input.lines.join('\\n')"
    when      = "!has(input.order) || input.order != 'descending'"
  }
  step "down" {
    connector = "lines"
    operation = "descending"
    stdin     = "input.lines.join('\\n')"
    when      = "has(input.order) && input.order == 'descending'"
  }
  response {
    up   = "step.up"
    down = "step.down"
  }
}

flow "archive_file" {
  from {
    connector = "api"
    operation = "POST /archives"
  }
  step "packed" {
    connector = "archive"
    stdin     = "input.files.document"
  }
  response {
    _binary       = "step.packed"
    _content_type = "'application/gzip'"
    _filename     = "'archive.gz'"
  }
}

flow "write_journal" {
  from {
    connector = "api"
    operation = "POST /entries"
  }
  transform {
    at   = "string(now())"
    text = "input.text"
  }
  to {
    connector = "journal"
  }
}
