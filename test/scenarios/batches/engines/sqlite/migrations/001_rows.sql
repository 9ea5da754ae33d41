CREATE TABLE numbers (id INTEGER PRIMARY KEY);
CREATE TABLE copies (id INTEGER PRIMARY KEY, times INTEGER NOT NULL);
CREATE TABLE strict (id INTEGER PRIMARY KEY CHECK (id % 700 <> 0));
CREATE TABLE lenient (id INTEGER PRIMARY KEY CHECK (id % 700 <> 0));

WITH RECURSIVE counting (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counting WHERE n < 2500)
INSERT INTO numbers SELECT n FROM counting;

-- About a millisecond for each row.
CREATE TRIGGER slow BEFORE INSERT ON copies BEGIN
  SELECT count(*) FROM (
    WITH RECURSIVE counting (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counting WHERE n < 4000) SELECT n FROM counting
  );
END;
CREATE TABLE again (id integer PRIMARY KEY, times integer NOT NULL);
