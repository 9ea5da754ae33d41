CREATE TABLE deliveries (number TEXT NOT NULL);
