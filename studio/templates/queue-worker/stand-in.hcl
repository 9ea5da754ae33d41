# Delivers as a broker would, as long as AMQP_URL does not name one. With a broker it does nothing, and can be removed.
aspect "deliver" {
  on   = ["hand_in"]
  when = "after"
  if   = "env('AMQP_URL', '') == ''"

  action {
    flow = "keep_order"

    transform { body = "input" }
  }
}
