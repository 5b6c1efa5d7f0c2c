-- the counters of the three contenders of a race
CREATE TABLE race (
    contender text PRIMARY KEY,
    counted bigint NOT NULL
);

INSERT INTO race (contender, counted) VALUES ('unguarded', 0), ('guarded', 0), ('grouped', 0);

-- the operations whose COMMIT is cut off: a counter for each
CREATE TABLE cut_operation (
    guarded boolean NOT NULL,
    operation integer NOT NULL,
    counted bigint NOT NULL,
    PRIMARY KEY (guarded, operation)
);
