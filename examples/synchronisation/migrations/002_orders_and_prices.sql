CREATE TABLE orders (
  id       INTEGER PRIMARY KEY,
  customer TEXT NOT NULL
);

CREATE TABLE lines (
  id       INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  sku      TEXT    NOT NULL
);

CREATE TABLE prices (
  sku      TEXT    PRIMARY KEY,
  cents    INTEGER NOT NULL,
  revision INTEGER NOT NULL
);
