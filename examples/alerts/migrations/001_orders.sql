CREATE TABLE orders (
  id       INTEGER PRIMARY KEY,
  customer TEXT NOT NULL,
  total    REAL NOT NULL CHECK (total > 0)
);
