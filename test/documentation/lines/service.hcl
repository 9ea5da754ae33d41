connector "scales" {
  type   = "lines"
  driver = "server"
  port   = env("SCALES_PORT")
  token  = env("TOKEN")
}

connector "printer" {
  type   = "lines"
  driver = "client"
  port   = env("PRINTER_PORT")
}

flow "weigh" {
  from {
    connector = "scales"
  }
  step "label" {
    connector = "printer"
    operation = "send"
    params = {
      text = "input.item + ': ' + string(input.grams) + ' g'"
    }
  }
  response {
    printed = "step.label.text"
  }
}
