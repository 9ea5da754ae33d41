CREATE TABLE profiles (
  email TEXT PRIMARY KEY,
  name  TEXT NOT NULL,
  since TEXT NOT NULL
);
