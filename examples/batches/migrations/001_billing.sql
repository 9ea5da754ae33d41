CREATE TABLE charges (
  id       INTEGER PRIMARY KEY,
  customer INTEGER NOT NULL,
  month    TEXT    NOT NULL,
  cents    INTEGER NOT NULL
);

CREATE TABLE bills (
  customer INTEGER NOT NULL,
  month    TEXT    NOT NULL,
  cents    INTEGER NOT NULL CHECK (cents > 0),
  PRIMARY KEY (customer, month)
);

-- Two charges for each of 600 customers.
WITH RECURSIVE numbers (n) AS (
  SELECT 1
  UNION ALL
  SELECT n + 1 FROM numbers WHERE n < 1200
)
INSERT INTO charges (customer, month, cents)
SELECT (n + 1) / 2, '2026-03', 100 + n % 7 FROM numbers;

-- This one gets more back than it owes, which no bill can say.
INSERT INTO charges (customer, month, cents) VALUES (13, '2026-03', -5000);
