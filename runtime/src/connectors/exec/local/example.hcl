# Words of a text are counted by a program, and lines of a request are sorted.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "words" {
  type          = "exec"
  command       = "wc"
  args          = ["-w"]
  output_format = "text"
}

connector "lines" {
  type          = "exec"
  command       = "sort"
  output_format = "lines"
}

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
  to {
    connector = "lines"
    stdin     = "input.text"
  }
}
