-- 64 bits of the first request's method, path and body, to tell a retry from another request with the same key; null where
-- they are not compared.
ALTER TABLE fbf_ledger ADD COLUMN fingerprint bigint;

-- What the first request was answered, where that is small; written a little later than the operation, and gone with it.
CREATE TABLE fbf_answer (
  operation    uuid     NOT NULL PRIMARY KEY REFERENCES fbf_ledger ON DELETE CASCADE,
  status       smallint NOT NULL,
  content_type text,
  location     text,
  body         bytea    NOT NULL
);

COMMENT ON TABLE fbf_answer IS 'What requests were answered, for their retries: nothing but fbf writes here';
