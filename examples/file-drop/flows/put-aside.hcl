# What was taken is moved to `done` on the server of the partner.
flow "put_aside" {
  from {
    connector = "api"
    operation = "DELETE /files/:name"
  }
  validate {
    input = "file"
  }
  step "moved" {
    connector = "partner"
    operation = "move"
    params    = { source = "'orders/' + input.name", destination = "'done/' + input.name" }
  }
  response {
    moved = "step.moved.dest"
  }
}
