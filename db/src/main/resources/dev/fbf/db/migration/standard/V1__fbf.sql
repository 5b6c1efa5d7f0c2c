-- Repeatable: after a loss of tables, an operator drops their history, and the script creates the missing ones.

-- Counters of applications without their own table.
CREATE TABLE IF NOT EXISTS fbf_counter (
  name  varchar(255) NOT NULL PRIMARY KEY,
  "VALUE" bigint NOT NULL
);

-- One row per applied operation, until it expires. Times are the database's, in seconds since 1970. The operation is a digest that includes
-- its scope; transaction_id is a random number of the transaction that entered it. The fingerprint is a 64-bit digest of the first request's
-- method, path, query and body; it is null if requests are not compared.
CREATE TABLE IF NOT EXISTS fbf_ledger (
  operation      binary(16) NOT NULL PRIMARY KEY,
  transaction_id bigint     NOT NULL,
  entered_at     bigint     NOT NULL,
  expires_at     bigint     NOT NULL,
  fingerprint    bigint
);

CREATE INDEX IF NOT EXISTS fbf_ledger_expiry ON fbf_ledger (expires_at);

-- The response to the first request, written shortly after the operation; status 0 if it is not kept. The headers are lines "Name: value".
-- It is valid only if fbf_ledger has a row of the operation that is not newer.
CREATE TABLE IF NOT EXISTS fbf_response (
  operation  binary(16) NOT NULL PRIMARY KEY,
  written_at bigint     NOT NULL,
  expires_at bigint     NOT NULL,
  status     smallint   NOT NULL,
  headers    longvarchar NOT NULL,
  body       longvarbinary NOT NULL
);

CREATE INDEX IF NOT EXISTS fbf_response_expiry ON fbf_response (expires_at);
