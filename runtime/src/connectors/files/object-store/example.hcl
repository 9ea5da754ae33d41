connector "invoices" {
  type       = "object_store"
  bucket     = "invoices"
  region     = "eu-central-1"
  access_key = env("S3_ACCESS_KEY")
  secret_key = env("S3_SECRET_KEY")
}
