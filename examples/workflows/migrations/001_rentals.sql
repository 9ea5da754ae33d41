CREATE TABLE rentals (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  van          TEXT    NOT NULL,
  customer     TEXT    NOT NULL,
  state        TEXT    NOT NULL,
  collected_by TEXT
);
