# Notes that it ran; the database says when.
flow "in_table" {
  when {
    schedule = "* * * * * *"
    storage  = "db"
  }

  to {
    connector = "db"
    query     = "INSERT INTO runs (flow) VALUES ('in_table')"
  }
}

flow "in_cache" {
  when {
    schedule = "* * * * * *"
    timezone = "America/St_Johns"
    storage  = "claims"
  }

  to {
    connector = "db"
    query     = "INSERT INTO runs (flow) VALUES ('in_cache')"
  }
}

# Runs once a year, or when a client asks.
flow "either" {
  from {
    connector = "api"
    operation = "POST /run"
  }

  when = "@yearly"

  to {
    connector = "db"
    query     = "INSERT INTO runs (flow) VALUES ('either')"
  }
}
