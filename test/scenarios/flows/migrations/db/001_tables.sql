CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT, price REAL, role TEXT DEFAULT 'user');
INSERT INTO items (id, name, kind, price) VALUES (1, 'Compass', 'tool', 12.5), (2, 'Sextant', 'tool', 40), (3, 'Map', 'paper', 3);
CREATE TABLE failed (id INTEGER PRIMARY KEY, original_input TEXT, error TEXT);
CREATE TABLE failed_shaped (id INTEGER PRIMARY KEY, name TEXT, why TEXT);
