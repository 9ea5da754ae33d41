CREATE TABLE orders (
  id          INTEGER PRIMARY KEY,
  customer    TEXT NOT NULL,
  item        TEXT NOT NULL,
  received_at TEXT NOT NULL
);
