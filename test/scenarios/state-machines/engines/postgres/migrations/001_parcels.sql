CREATE TABLE parcels (
  id     integer PRIMARY KEY,
  status text
);

INSERT INTO parcels (id, status) VALUES (1, NULL), (2, 'packed'), (3, ''), (4, 'lost'), (5, 'packed'), (6, 'packed');
