CREATE TABLE ledger (id integer PRIMARY KEY, amount integer NOT NULL);
CREATE TABLE attempts (id integer NOT NULL);
