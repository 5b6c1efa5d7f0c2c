-- the operations whose COMMIT is cut off: a counter for each
CREATE TABLE cut_operation (
    guarded boolean NOT NULL,
    operation integer NOT NULL,
    counted bigint NOT NULL,
    PRIMARY KEY (guarded, operation)
);
