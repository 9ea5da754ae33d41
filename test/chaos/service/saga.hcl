# Five steps, each of which leaves a row behind after some time. They begin late, so that all workflows are there then.
saga "five" {
  from {
    connector = "api"
    operation = "POST /five"
  }

  step "ready" {
    delay = env("HEAD_START", "5s")
  }

  step "one" {
    action {
      connector = "work"
      operation = "effect"
      params    = { workflow = "input.workflow", step = "one", process = "constants.process", seconds = "input.seconds" }
    }
    compensate {
      connector = "work"
      operation = "effect"
      params    = { workflow = "input.workflow", step = "undo one", process = "constants.process", seconds = "input.seconds" }
    }
  }

  step "two" {
    action {
      connector = "work"
      operation = "effect"
      params    = { workflow = "input.workflow", step = "two", process = "constants.process", seconds = "input.seconds" }
    }
    compensate {
      connector = "work"
      operation = "effect"
      params    = { workflow = "input.workflow", step = "undo two", process = "constants.process", seconds = "input.seconds" }
    }
  }

  step "three" {
    action {
      connector = "work"
      operation = "effect"
      params    = { workflow = "input.workflow", step = "three", process = "constants.process", seconds = "input.seconds" }
    }
    compensate {
      connector = "work"
      operation = "effect"
      params    = { workflow = "input.workflow", step = "undo three", process = "constants.process", seconds = "input.seconds" }
    }
    delay = "500ms"
  }

  step "four" {
    action {
      connector = "work"
      operation = "effect"
      params    = { workflow = "input.workflow", step = "four", process = "constants.process", seconds = "input.seconds" }
    }
    compensate {
      connector = "work"
      operation = "effect"
      params    = { workflow = "input.workflow", step = "undo four", process = "constants.process", seconds = "input.seconds" }
    }
  }

  step "five" {
    action {
      connector = "work"
      operation = "effect"
      params    = { workflow = "input.workflow", step = "five", process = "constants.process", seconds = "input.seconds" }
    }
    compensate {
      connector = "work"
      operation = "effect"
      params    = { workflow = "input.workflow", step = "undo five", process = "constants.process", seconds = "input.seconds" }
    }
  }
}
