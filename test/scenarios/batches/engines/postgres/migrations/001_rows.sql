CREATE TABLE numbers (id integer PRIMARY KEY);
CREATE TABLE copies (id integer PRIMARY KEY, times integer NOT NULL);
CREATE TABLE strict (id integer PRIMARY KEY CHECK (id % 700 <> 0));
CREATE TABLE lenient (id integer PRIMARY KEY CHECK (id % 700 <> 0));

INSERT INTO numbers SELECT generate_series(1, 2500);

CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_sleep(0.0005);
  RETURN NEW;
END $$;

CREATE TRIGGER slow BEFORE INSERT ON copies FOR EACH ROW EXECUTE FUNCTION slow();
CREATE TABLE again (id integer PRIMARY KEY, times integer NOT NULL);
