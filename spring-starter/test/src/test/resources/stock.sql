CREATE TABLE stock (item varchar(50) PRIMARY KEY, pieces integer NOT NULL);
INSERT INTO stock VALUES ('bolt', 0), ('nut', 0);
