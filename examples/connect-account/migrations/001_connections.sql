CREATE TABLE connections (
  person        TEXT    PRIMARY KEY,
  provider_id   TEXT    NOT NULL,
  email         TEXT    NOT NULL,
  access_token  TEXT    NOT NULL,
  refresh_token TEXT    NOT NULL,
  expires_at    INTEGER NOT NULL
);
