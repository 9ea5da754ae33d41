CREATE TABLE payments (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  customer TEXT NOT NULL,
  amount   REAL NOT NULL,
  paid_at  TEXT NOT NULL
);

-- Every change of a title and of a stock, the last one last.
CREATE TABLE titles (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  sku   TEXT NOT NULL,
  title TEXT NOT NULL
);

CREATE TABLE stocks (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  sku   TEXT    NOT NULL,
  stock INTEGER NOT NULL
);
