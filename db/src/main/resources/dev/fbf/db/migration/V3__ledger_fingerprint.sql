-- 64 bits of the first request's method, path and body, to tell a retry from another request with the same key; null where
-- they are not compared.
ALTER TABLE fbf_ledger ADD COLUMN fingerprint bigint;
