service {
  name       = "plugin"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# Its manifest says what it provides: a type of connectors, a function and a validator.
plugin "postcodes" {
  source  = "./plugins/postcodes"
  timeout = "500ms"
}

connector "places" {
  type    = "gazetteer"
  country = "de"
}
