service {
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type       = "rest"
  host       = "127.0.0.1"
  port       = env("PORT")
  max_upload = "64MB"
}

connector "uploads" {
  type       = "object_store"
  bucket     = "box"
  region     = env("S3_REGION")
  endpoint   = env("S3_ENDPOINT")
  access_key = env("S3_ACCESS_KEY")
  secret_key = env("S3_SECRET_KEY")
  part_size  = "1MB"
}

# The body goes to the bucket while it comes, in parts.
flow "upload" {
  from {
    connector = "api"
    operation = "PUT /files/:name"
    format    = "binary"
  }

  step "stored" {
    connector = "uploads"
    operation = "write"
    params = {
      key     = "input.name"
      content = "input.body"
    }
  }

  response {
    size = "step.stored.size"
  }
}
