plugin {
  name        = "postcodes"
  version     = "1.0.0"
  description = "Places by their postcode."
  icon        = "icon.svg"
}

provides {
  connector "gazetteer" {
    wasm        = "postcodes.wasm"
    description = "Places of a country, by their postcode."

    config {
      country = string({ required = true, description = "Country that is looked up." })
      api_key = string({ sensitive = true, description = "Key of an account." })
    }
  }

  functions {
    wasm          = "postcodes.wasm"
    exports       = ["postcode_area(code)"]
    deterministic = ["postcode_area"]
  }

  validator "postcode" {
    wasm    = "postcodes.wasm"
    message = "must be a postcode of five digits"
  }
}
