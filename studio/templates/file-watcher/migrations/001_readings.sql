CREATE TABLE readings (
  id      INTEGER PRIMARY KEY,
  sensor  TEXT NOT NULL,
  celsius REAL NOT NULL,
  file    TEXT NOT NULL
);
