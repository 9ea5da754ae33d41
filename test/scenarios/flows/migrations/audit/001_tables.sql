CREATE TABLE events (id INTEGER PRIMARY KEY, item TEXT, kind TEXT);
CREATE TABLE strict_events (id INTEGER PRIMARY KEY, item TEXT NOT NULL CHECK (item <> 'forbidden'));
