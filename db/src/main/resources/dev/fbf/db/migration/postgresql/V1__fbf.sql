-- Repeatable: after a loss of tables, an operator drops their history, and the script creates the missing ones.

-- Counters of applications without their own table.
CREATE TABLE IF NOT EXISTS fbf_counter (
  name  varchar(255) NOT NULL PRIMARY KEY,
  value bigint       NOT NULL
);

COMMENT ON TABLE fbf_counter IS 'Exact counters: change them from @IdempotentIncrement methods only';

-- One row per slot of each node: the token of the slot's last commit, or the fence of a transaction that cannot commit. The number of
-- a node's rows limits its concurrent transactions. Each of them updates a row, so rows are short, and pages have free space for
-- the next version.
CREATE TABLE IF NOT EXISTS fbf_witness (
  node  uuid    NOT NULL,
  slot  integer NOT NULL,
  token bigint  NOT NULL,
  PRIMARY KEY (node, slot)
) WITH (fillfactor = 50);

COMMENT ON TABLE fbf_witness IS 'Shows which transactions committed: written by fbf only';

-- One row per applied operation, until it expires: its retention, in seconds, begins at the end of its transaction, which
-- fbf_horizon records. The operation is a digest that includes its scope. The fingerprint is a 64-bit digest of the first request's
-- method, path, query and body; it is null if requests are not compared.
--
-- The table keeps its pages when it is empty. A table without pages is scanned sequentially, and a plan that is made then is kept
-- until statistics are gathered, so that each operation of the following load would read all earlier operations. Releasing pages
-- would also lock the table.
--
-- There is no index on the transaction: every row expires, and a purge that reads pages four times within the shortest retention of
-- their rows finds many rows to delete each time. Measured with PostgreSQL 17, an operation of a group costs the server 19
-- microseconds and 292 bytes of log with an index on a time, and 17 microseconds and 223 bytes without.
CREATE TABLE IF NOT EXISTS fbf_ledger (
  operation      uuid    NOT NULL PRIMARY KEY,
  transaction_id xid8    NOT NULL,
  retention      integer NOT NULL,
  fingerprint    bigint
) WITH (vacuum_truncate = off);

COMMENT ON TABLE fbf_ledger IS 'Applied operations: written by fbf only';

-- All transactions with an id below transactions_before had ended by ended_by. A few rows per magnitude of age. The row with
-- transactions_before = 0 has the ledger's own time in ended_by.
CREATE TABLE IF NOT EXISTS fbf_horizon (
  transactions_before xid8        NOT NULL PRIMARY KEY,
  ended_by            timestamptz NOT NULL
);

COMMENT ON TABLE fbf_horizon IS 'Determines when operations in the ledger expire: written by fbf only';

-- The response to the first request, written shortly after the operation; status 0 if it is not kept. The headers are lines "Name: value".
--
-- A row expires like those of fbf_ledger. It is valid only if fbf_ledger has a row of the operation that is not newer: otherwise its
-- operation has expired, or was not committed. A foreign key could not express this, and costs more than the rest of the insert.
CREATE TABLE IF NOT EXISTS fbf_response (
  operation      uuid     NOT NULL PRIMARY KEY,
  transaction_id xid8     NOT NULL,
  retention      integer  NOT NULL,
  status         smallint NOT NULL,
  headers        text     NOT NULL,
  body           bytea    NOT NULL
) WITH (vacuum_truncate = off);

COMMENT ON TABLE fbf_response IS 'Responses to requests, for their retries: written by fbf only';

-- One row per scope: its mode, ledger or filter. A process of the other mode turns the scope when it starts, and operations are then held
-- back until held_until (null: not at all), because retries of operations that the other mode applied can arrive until then.
-- retry_window is the longest retry window of the scope's processes in ledger mode.
CREATE TABLE IF NOT EXISTS fbf_scope (
  scope        varchar(255) NOT NULL PRIMARY KEY,
  mode         varchar(10)  NOT NULL,
  retry_window interval     NOT NULL,
  held_until   timestamptz
);

COMMENT ON TABLE fbf_scope IS 'Shows the mode of each scope: written by fbf only';

-- One row per scope in filter mode: the node that applies its operations, or was the last one to. Written at start, every few seconds
-- while the process runs, and at its end. Retries of its operations can arrive for retry_window, the longest one of the node's processes,
-- after the last operation. The node raises the beat, here and in its files.
CREATE TABLE IF NOT EXISTS fbf_lease (
  scope        varchar(255) NOT NULL PRIMARY KEY,
  node         uuid         NOT NULL,
  run          uuid         NOT NULL,
  process      text         NOT NULL,
  ended        boolean      NOT NULL,
  beat         bigint       NOT NULL,
  retry_window interval     NOT NULL,
  seen_at      timestamptz  NOT NULL
);

COMMENT ON TABLE fbf_lease IS 'Shows which process applies the operations of a scope in filter mode: written by fbf only';
