CREATE TABLE effects (
  id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workflow INTEGER     NOT NULL,
  step     TEXT        NOT NULL,
  process  TEXT        NOT NULL,
  at       TIMESTAMPTZ NOT NULL
);
