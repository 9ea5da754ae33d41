# A report is built on another machine, which is known by its key.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "reports" {
  type          = "exec"
  driver        = "ssh"
  command       = "/opt/reports/build"
  output_format = "binary"
  content_type  = "application/pdf"
  timeout       = "2m"

  ssh {
    host        = env("REPORTS_HOST", "build.internal")
    user        = "deploy"
    key_file    = "./keys/deploy"
    known_hosts = "./keys/known_hosts"
  }
}

flow "report" {
  from {
    connector = "api"
    operation = "GET /reports/:month"
  }
  step "built" {
    connector = "reports"
    args      = ["--", "input.month"]
  }
  response {
    _binary       = "step.built"
    _content_type = "'application/pdf'"
  }
}
