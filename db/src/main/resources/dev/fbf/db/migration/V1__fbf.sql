-- Can be executed again: Flyway commits the tables before their history, and a process may be killed in between.

-- Counters of applications that have no table for them.
CREATE TABLE IF NOT EXISTS fbf_counter (
  name  varchar(255) NOT NULL PRIMARY KEY,
  value bigint       NOT NULL
);

COMMENT ON TABLE fbf_counter IS 'Exact counters: change them from @IdempotentIncrement methods only';

-- One row for each slot of each node: the token of the last transaction that committed in it. As many rows as
-- transactions can be open at once. Each guarded transaction updates one, so rows are short, and pages keep room for the
-- next version.
CREATE TABLE IF NOT EXISTS fbf_witness (
  node  uuid    NOT NULL,
  slot  integer NOT NULL,
  token bigint  NOT NULL,
  PRIMARY KEY (node, slot)
) WITH (fillfactor = 50);

COMMENT ON TABLE fbf_witness IS 'Tells which transactions committed: nothing but fbf writes here';

-- One row for each applied operation, until it expires: so many seconds of retention after its transaction has ended, of which
-- fbf_horizon knows. The operation is a digest that covers its scope. The fingerprint has 64 bits of the first request's method,
-- path, query and body; it is null where requests are not compared.
--
-- The table keeps its pages when it is empty: a table without pages is read from end to end, and a plan that is made then is
-- kept until statistics are gathered, so that each operation of the load that follows would read all operations before it.
-- Giving pages back would also lock the table.
--
-- There is no index on the time: every row expires, so that a purge that reads pages four times within the shortest retention of
-- their rows finds much to delete each time. Measured with PostgreSQL 17, an operation of a group costs the server 19 microseconds
-- and 292 bytes of log with such an index, and 17 and 223 without.
CREATE TABLE IF NOT EXISTS fbf_ledger (
  operation   uuid        NOT NULL PRIMARY KEY,
  entered_at  timestamptz NOT NULL,
  retention   integer     NOT NULL,
  fingerprint bigint
) WITH (vacuum_truncate = off);

COMMENT ON TABLE fbf_ledger IS 'Operations that were applied: nothing but fbf writes here';

-- Transactions that entered operations in the ledger before a time had ended by another time. Some rows for each magnitude of age.
CREATE TABLE IF NOT EXISTS fbf_horizon (
  entered_before timestamptz NOT NULL PRIMARY KEY,
  ended_by       timestamptz NOT NULL
);

COMMENT ON TABLE fbf_horizon IS 'Tells when operations in the ledger expire: nothing but fbf writes here';

-- The response to the first request, where that is small. Written a little later than the operation. The headers are lines of HTTP/1.1.
--
-- A row expires as those of fbf_ledger do. It counts only beside a row there that is not younger: a response to an earlier life of the
-- operation does not. A foreign key would say less, and costs more than the rest of the insert.
CREATE TABLE IF NOT EXISTS fbf_response (
  operation  uuid        NOT NULL PRIMARY KEY,
  entered_at timestamptz NOT NULL,
  retention  integer     NOT NULL,
  status     smallint    NOT NULL,
  ending     varchar(10) NOT NULL,
  headers    text        NOT NULL,
  body       bytea       NOT NULL
) WITH (vacuum_truncate = off);

COMMENT ON TABLE fbf_response IS 'Responses to requests, for their retries: nothing but fbf writes here';

-- One row for each scope: who applies its operations, or holds them back. In ledger mode nodes share it, and the last one that wrote it
-- is named. Written at start, every few seconds while the process runs, and at its end. For retries_for after seen_at retries can
-- arrive of operations that knows, and known_by for people, has applied. Clocks can be set: ahead tells by how many seconds the
-- database's clock was ahead of the clock of the process's host when the row was last written.
CREATE TABLE IF NOT EXISTS fbf_lease (
  scope        varchar(255) NOT NULL PRIMARY KEY,
  node         uuid         NOT NULL,
  run          uuid         NOT NULL,
  process      text         NOT NULL,
  mode         varchar(10)  NOT NULL,
  applies      boolean      NOT NULL,
  knows        uuid         NOT NULL,
  known_by     text         NOT NULL,
  retry_window interval     NOT NULL,
  retries_for  interval     NOT NULL,
  seen_at      timestamptz  NOT NULL,
  ahead        double precision NOT NULL
);

COMMENT ON TABLE fbf_lease IS 'Tells which process applies the operations of a scope: nothing but fbf writes here';

-- One row for each process and mode, from before its first lease until it has ended properly, and the clock of its host.
CREATE TABLE IF NOT EXISTS fbf_node (
  run     uuid         NOT NULL,
  mode    varchar(10)  NOT NULL,
  node    uuid         NOT NULL,
  process text         NOT NULL,
  seen_at timestamptz  NOT NULL,
  ahead   double precision NOT NULL,
  PRIMARY KEY (run, mode)
);

COMMENT ON TABLE fbf_node IS 'Processes that apply operations: nothing but fbf writes here';
