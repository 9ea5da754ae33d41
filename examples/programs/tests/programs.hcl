test "words are counted" {
  flow  = "count_words"
  input = { text = "one two three" }

  mock "words" {
    result = { output = "3\n" }
  }

  expect {
    status = 200
    output = { words = 3 }
  }
}

test "an entry has its time and its text, and nothing else" {
  flow  = "write_journal"
  input = { text = "a text", other = 1 }

  mock "journal" {
    result = { affected = 1 }
  }

  expect {
    status = 200
  }
}
