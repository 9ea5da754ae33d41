saga "five" {
  from {
    connector = "api"
    operation = "POST /five"
  }

  step "one" {
    action {
      connector = "remote"
      operation = "POST /one"
      body      = { before = "input.name" }
    }
    compensate {
      connector = "remote"
      operation = "POST /undo/one"
    }
  }

  step "two" {
    action {
      connector = "remote"
      operation = "POST /two"
      body      = { before = "step.one.said" }
    }
    compensate {
      connector = "remote"
      operation = "POST /undo/two"
    }
  }

  step "three" {
    action {
      connector = "remote"
      operation = "POST /three"
      body      = { before = "step.one.said" }
    }
    compensate {
      connector = "remote"
      operation = "POST /undo/three"
    }
  }

  step "four" {
    action {
      connector = "remote"
      operation = "POST /four"
      body      = { before = "step.one.said" }
    }
    compensate {
      connector = "remote"
      operation = "POST /undo/four"
    }
  }

  step "five" {
    action {
      connector = "remote"
      operation = "POST /five"
      body      = { before = "step.one.said" }
    }
    compensate {
      connector = "remote"
      operation = "POST /undo/five"
    }
    delay = "10ms"
  }
}
