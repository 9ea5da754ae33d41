CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  price DECIMAL(12, 2),
  stock BIGINT,
  made TIMESTAMP,
  details JSON,
  available BOOLEAN
);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL, lines INTEGER NOT NULL DEFAULT 0);
CREATE TABLE order_lines (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  position INTEGER NOT NULL,
  sku TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0)
);
CREATE TABLE line_notes (order_id INTEGER NOT NULL, sku TEXT NOT NULL, position INTEGER NOT NULL, note TEXT NOT NULL);
