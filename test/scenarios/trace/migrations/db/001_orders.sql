CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT NOT NULL, amount REAL NOT NULL);
INSERT INTO orders (item, amount) VALUES ('tea', 2.5);
