# A file is moved to `done` when every row of it was written. One of which a row could not be written stays where it is.
aspect "taken" {
  on   = ["take_file"]
  when = "after"

  action {
    flow = "put_aside"

    transform {
      name = "input.name"
      time = "int(_timestamp)"
    }
  }
}
