connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# Amazon S3, or a store that speaks its protocol.
connector "invoices" {
  type           = "object_store"
  bucket         = env("BUCKET", "invoices")
  endpoint       = env("S3_ENDPOINT", "http://127.0.0.1:9000")
  use_path_style = true
  region         = env("S3_REGION", "us-east-1")
  access_key     = env("S3_ACCESS_KEY", "")
  secret_key     = env("S3_SECRET_KEY", "")
  prefix         = env("PREFIX", "invoices/")

  # An id is one name of a key: it cannot lead to another folder.
  operation "invoice" {
    path_pattern = "{id}.json"
    param "id" {
      required = true
      pattern  = "^[a-z0-9-]{1,40}$"
    }
  }
}
