aspect "guard" {
  on   = ["ask_stock"]
  when = "around"

  circuit_breaker {
    name              = "stock"
    failure_threshold = 3
    success_threshold = 2
    timeout           = "1s"
  }
}

aspect "lasting" {
  on   = ["ask_other"]
  when = "around"

  circuit_breaker {
    name              = "other"
    failure_threshold = 1
    timeout           = "1h"
  }
}
