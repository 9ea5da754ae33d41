# A report goes to several people, with its table as a file.
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "mail" {
  type   = "email"
  driver = "ses"
  region = "eu-central-1"
  from   = "Reports <reports@example.org>"
}

flow "send_report" {
  from {
    connector = "api"
    operation = "POST /reports"
  }
  transform {
    to          = "input.readers"
    subject     = "'Report ' + input.month"
    textBody    = "'The table is attached.'"
    attachments = "[{'filename': 'report.csv', 'content': input.table}]"
  }
  to {
    connector = "mail"
    operation = "send"
  }
}
