CREATE TABLE prices (
  supplier TEXT NOT NULL,
  article TEXT NOT NULL,
  cents INTEGER NOT NULL CHECK (cents > 0),
  PRIMARY KEY (supplier, article)
);
