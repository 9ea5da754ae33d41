# Called by the aspect alone: there is no request that moves a file whose rows were not written. The time in the name
# keeps a file of the same name that was taken before.
flow "put_aside" {
  validate {
    input = "file"
  }
  step "moved" {
    connector = "partner"
    operation = "move"
    params    = { source = "'orders/' + input.name", destination = "'done/' + string(input.time) + '-' + input.name" }
  }
  response {
    moved = "step.moved.dest"
  }
}
