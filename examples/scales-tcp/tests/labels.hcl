test "a label has the item and its weight" {
  flow = "weigh"
  input = {
    item  = "apples"
    grams = 1200
  }
  expect {
    output = {
      label = "apples: 1200 g"
    }
  }
}
