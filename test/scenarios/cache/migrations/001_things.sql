CREATE TABLE things (id TEXT PRIMARY KEY, name TEXT NOT NULL, amount INTEGER, big BIGINT, share REAL);
INSERT INTO things VALUES ('a', 'Anvil', 3, 9007199254740993, 1.5), ('b', 'Bell', 1, 1, 2.0), ('*', 'Star', 1, 1, 1.0);
