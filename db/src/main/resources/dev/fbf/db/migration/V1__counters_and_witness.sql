-- Counters for whoever needs no table of their own.
CREATE TABLE fbf_counter (
  name  varchar(255) NOT NULL PRIMARY KEY,
  value bigint       NOT NULL
);

COMMENT ON TABLE fbf_counter IS 'Exact counters: change them from @IdempotentIncrement methods only';

-- One row for each slot of each node: the token of the last transaction that committed in it. As many rows as
-- transactions can be open at once; each guarded transaction updates one, so pages keep room for the next version.
CREATE TABLE fbf_witness (
  node  varchar(255) NOT NULL,
  slot  integer      NOT NULL,
  token uuid         NOT NULL,
  PRIMARY KEY (node, slot)
) WITH (fillfactor = 50);

COMMENT ON TABLE fbf_witness IS 'Tells which transactions committed: nothing but fbf writes here';
