CREATE TABLE page (name text PRIMARY KEY, views bigint NOT NULL);
