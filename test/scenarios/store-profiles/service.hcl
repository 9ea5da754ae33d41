# Prices are read from the bucket of the partner, and from a folder of this machine while that is unavailable.
service {
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "prices" {
  default  = "partner"
  fallback = ["folder"]

  profile "partner" {
    type           = "object_store"
    driver         = "s3"
    bucket         = "prices"
    region         = "eu-central-1"
    endpoint       = env("STORE_URL", "http://127.0.0.1:1")
    use_path_style = true
    access_key     = "AKIDEXAMPLE"
    secret_key     = "kept/secret+of=tests"
    timeout        = "2s"
  }

  profile "folder" {
    type      = "file"
    base_path = "./kept"
  }
}

flow "get_price" {
  from {
    connector = "api"
    operation = "GET /prices/:item"
  }
  step "price" {
    connector = "prices"
    operation = "read"
    params    = { path = "input.item + '.json'" }
  }
  response {
    price = "step.price[0].price"
    from  = "step.price[0].from"
  }
}
