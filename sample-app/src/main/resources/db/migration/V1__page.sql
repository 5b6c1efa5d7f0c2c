CREATE TABLE page (
    name varchar(200) PRIMARY KEY,
    views bigint NOT NULL
);

CREATE TABLE unguarded_page (
    name varchar(200) PRIMARY KEY,
    views bigint NOT NULL
);
