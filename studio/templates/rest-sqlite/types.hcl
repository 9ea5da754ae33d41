# A body that does not fit is answered with 400, naming every field that is wrong.
type "new_task" {
  title = string({ min_length = 1, max_length = 200 })
}

type "task_change" {
  title = string({ required = false, min_length = 1, max_length = 200 })
  done  = integer({ required = false, min = 0, max = 1 })
}
