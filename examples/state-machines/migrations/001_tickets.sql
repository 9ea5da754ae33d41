CREATE TABLE tickets (
  id     INTEGER PRIMARY KEY,
  title  TEXT NOT NULL,
  status TEXT
);

CREATE TABLE history (
  id        INTEGER PRIMARY KEY,
  ticket_id INTEGER NOT NULL REFERENCES tickets (id),
  text      TEXT    NOT NULL
);

-- Without a status: they are in the initial state.
INSERT INTO tickets (id, title) VALUES (1, 'The printer hums'), (2, 'The chair squeaks');
