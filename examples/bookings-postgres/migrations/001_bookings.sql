CREATE TABLE events (
  id         integer PRIMARY KEY,
  name       text    NOT NULL,
  seats_left integer NOT NULL CHECK (seats_left >= 0)
);

CREATE TABLE bookings (
  id         text        PRIMARY KEY,
  event_id   integer     NOT NULL REFERENCES events,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE guests (
  booking_id text    NOT NULL REFERENCES bookings,
  position   integer NOT NULL,
  name       text    NOT NULL,
  PRIMARY KEY (booking_id, position)
);

INSERT INTO events VALUES (1, 'An evening of chamber music', 40);
