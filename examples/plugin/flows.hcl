type "address" {
  street   = string
  postcode = string({ validator = "postcode" })
}

flow "list_places" {
  from {
    connector = "api"
    operation = "GET /places"
  }
  step "found" {
    connector = "places"
    target    = "places"
  }
  response {
    places = "step.found.map(place, {'name': place.name, 'area': postcode_area(place.postcode)})"
  }
}

flow "add_address" {
  from {
    connector = "api"
    operation = "POST /addresses"
  }
  validate {
    input = "address"
  }
  transform {
    street   = "input.street"
    area     = "'area ' + postcode_area(input.postcode)"
    postcode = "input.postcode"
  }
}
