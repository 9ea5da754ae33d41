CREATE TABLE orders (
  number TEXT PRIMARY KEY,
  customer TEXT NOT NULL,
  cents INTEGER NOT NULL CHECK (cents > 0)
);
