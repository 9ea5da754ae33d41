CREATE TABLE carts (
  id INTEGER PRIMARY KEY,
  customer TEXT NOT NULL,
  items INTEGER NOT NULL,
  kept_until TEXT NOT NULL
);

CREATE TABLE totals (
  counted_at TEXT NOT NULL,
  carts INTEGER NOT NULL,
  items INTEGER NOT NULL
);
