# Of all processes that serve these carts, the one that claims a tick first runs it.
flow "sweep_carts" {
  when {
    schedule = env("SWEEP", "@every 1m")
    storage  = "db"
  }

  to {
    connector = "db"
    query     = "DELETE FROM carts WHERE kept_until <= datetime('now')"
  }
}
