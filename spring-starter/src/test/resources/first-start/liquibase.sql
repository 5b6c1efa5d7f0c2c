--liquibase formatted sql
--changeset app:1
CREATE TABLE page (name text PRIMARY KEY, views bigint NOT NULL);
