CREATE TABLE orders (number TEXT NOT NULL, version TEXT NOT NULL);
