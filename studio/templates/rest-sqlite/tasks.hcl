flow "create_task" {
  from {
    connector = "api"
    operation = "POST /tasks"
  }

  validate {
    input = "new_task"
  }

  # One column of the new row per line, in CEL. A breakpoint stops before any of them.
  transform {
    title      = "trim(input.title)"
    created_at = "now()"
  }

  to {
    connector = "db"
    target    = "tasks"
  }

  response {
    http_status_code = "201"
    id               = "output.id"
  }
}

flow "list_tasks" {
  from {
    connector = "api"
    operation = "GET /tasks"
  }

  to {
    connector = "db"
    operation = "all_tasks"
  }

  response {
    tasks = "output.items"
    count = "size(output.items)"
  }
}

flow "change_task" {
  from {
    connector = "api"
    operation = "PATCH /tasks/:id"
  }

  validate {
    input = "task_change"
  }

  to {
    connector = "db"
    target    = "tasks"
  }

  response {
    http_status_code = "output.affected == 0 ? '404' : '200'"
    changed          = "output.affected > 0"
  }
}

flow "delete_task" {
  from {
    connector = "api"
    operation = "DELETE /tasks/:id"
  }

  to {
    connector = "db"
    target    = "tasks"
  }

  response {
    http_status_code = "output.affected == 0 ? '404' : '200'"
    deleted          = "output.affected > 0"
  }
}
