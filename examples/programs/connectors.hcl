connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# Each program is started without a shell: what a caller sends is never read as a command.
connector "words" {
  type          = "exec"
  command       = "wc"
  args          = ["-w"]
  output_format = "text"
  env           = { LC_ALL = "C.UTF-8" }
}

connector "lines" {
  type          = "exec"
  command       = "sort"
  output_format = "lines"
  env           = { LC_ALL = "C" }

  operation "ascending" {
    args = ["-u"]
  }
  operation "descending" {
    args = ["-u", "-r"]
  }
}

# Its output is a file, passed on while the program writes it.
connector "archive" {
  type          = "exec"
  command       = "gzip"
  args          = ["-c"]
  output_format = "binary"
  content_type  = "application/gzip"
  timeout       = "5m"
  max_output    = "1GB"
}

# A line of the shell of the author's own, in a folder of its own. One at a time, so that lines do not mix.
connector "journal" {
  type          = "exec"
  command       = "cat >> journal.log && echo >> journal.log"
  shell         = "sh -c"
  working_dir   = env("JOURNAL_DIR", "./journal")
  max_processes = 1
}
