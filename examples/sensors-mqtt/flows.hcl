flow "measure" {
  from {
    connector = "sensors"
    operation = "${env("PLACE", "house")}/{room}/temperature"
  }
  transform {
    room    = "input.room"
    celsius = "double(input.celsius)"
  }
  to {
    connector = "db"
    target    = "rooms"
    operation = "UPSERT"
    conflict  = ["room"]
  }
}

flow "set" {
  from {
    connector = "api"
    operation = "POST /rooms/:room"
  }
  transform {
    celsius = "double(input.celsius)"
  }
  to {
    connector = "sensors"
    target    = "env('PLACE', 'house') + '/' + input.room + '/temperature'"
    params    = { retain = true }
  }
}

flow "rooms" {
  from {
    connector = "api"
    operation = "GET /rooms"
  }
  to {
    connector = "db"
    query     = "SELECT room, celsius FROM rooms ORDER BY room"
  }
}
