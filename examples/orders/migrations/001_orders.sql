CREATE TABLE orders (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  customer   TEXT    NOT NULL,
  email      TEXT    NOT NULL DEFAULT '',
  item       TEXT    NOT NULL,
  quantity   INTEGER NOT NULL,
  unit_price REAL    NOT NULL,
  total      REAL    NOT NULL,
  status     TEXT    NOT NULL DEFAULT 'open',
  note       TEXT,
  created_at TEXT    NOT NULL
);

CREATE INDEX orders_by_status ON orders (status, id);
