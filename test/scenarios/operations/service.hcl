service {
  name       = "operations"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")

  operation "search" {
    description = "Finds things"
    method      = "GET"
    path        = "/shops/:shop/things"

    param "shop" {
      type    = "string"
      in      = "path"
      pattern = "^[a-z]+$"
    }
    param "limit" {
      type    = "integer"
      min     = 1
      max     = 100
      default = 20
    }
    param "factor" {
      type    = "number"
      default = 1.5
    }
    param "open" {
      type    = "boolean"
      default = true
    }
    param "kind" {
      enum    = ["tool", "paper"]
      default = "tool"
    }
    param "text" {
      required   = true
      min_length = 2
      max_length = 5
    }
    param "request_id" {
      in      = "header"
      default = "none"
    }
  }

  operation "create" {
    method = "POST"
    path   = "/things"
    input  = "new_thing"
    output = "thing"

    param "tags" {
      type       = "array"
      default    = ["new"]
      max_length = 2
    }
    param "size" {
      type = "object"
    }
  }

  operation "slow" {
    method  = "GET"
    path    = "/slow"
    timeout = "200ms"
  }
}

connector "remote" {
  type     = "http"
  base_url = env("REMOTE_URL", "http://localhost:4000")

  operation "price" {
    method  = "POST"
    path    = "/prices"
    timeout = "300ms"
    input   = "price_question"
    output  = "price"
  }

  operation "offer" {
    method = "GET"
    path   = "/offers/:sku"

    param "sku" {
      pattern = "^[A-Z]+$"
    }
    param "currency" {
      default = "CHF"
      enum    = ["CHF", "EUR"]
    }
  }
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"

  operation "double" {
    query  = "SELECT :value * 2 AS doubled"
    output = "doubled"
  }

  operation "page" {
    query = "SELECT :from AS first, :from + :limit AS beyond, typeof(:limit) AS type"

    param "from" {
      type    = "integer"
      default = 0
    }
    param "limit" {
      type    = "integer"
      min     = 1
      max     = 50
      default = 10
    }
  }
}

type "new_thing" {
  name = string({ min_length = 2 })
}

type "thing" {
  name = string()
  code = integer({ max = 9 })
}

type "price_question" {
  sku = string({ pattern = "^[A-Z]+$" })
}

type "price" {
  amount = number({ min = 0 })
}

type "doubled" {
  doubled = number({ max = 100 })
}
