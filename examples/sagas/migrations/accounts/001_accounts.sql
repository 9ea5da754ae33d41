CREATE TABLE accounts (
  customer TEXT PRIMARY KEY,
  balance INTEGER NOT NULL CHECK (balance >= 0)
);

INSERT INTO accounts (customer, balance) VALUES ('ada', 500), ('grace', 20);
