test "an address has its area" {
  flow  = "add_address"
  input = { street = "Am Markt 1", postcode = "20095" }

  expect {
    output = { street = "Am Markt 1", postcode = "20095", area = "area 20" }
  }
}

test "places have their areas, wherever they come from" {
  flow = "list_places"

  mock "places" {
    result = [{ name = "Bonn", postcode = "53111" }, { name = "Kiel", postcode = "24103" }]
  }

  expect {
    output = { places = [{ name = "Bonn", area = "53" }, { name = "Kiel", area = "24" }] }
  }
}
