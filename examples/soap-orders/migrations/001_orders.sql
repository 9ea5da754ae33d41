CREATE TABLE orders (
  id       INTEGER PRIMARY KEY,
  customer TEXT NOT NULL,
  count    INTEGER NOT NULL,
  owner    TEXT NOT NULL
);
