CREATE TABLE stock (
  sku      TEXT    PRIMARY KEY,
  quantity INTEGER NOT NULL,
  fence    INTEGER NOT NULL DEFAULT 0
);

INSERT INTO stock (sku, quantity) VALUES ('pen', 100), ('ink', 20);
