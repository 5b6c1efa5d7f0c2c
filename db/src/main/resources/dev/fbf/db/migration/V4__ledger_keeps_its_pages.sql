-- A table without pages is read from end to end: a plan that is made then, after a quiet time, is kept until statistics are
-- gathered, and each operation of the load that follows would read all operations before it. Giving the pages back would also lock the table.
ALTER TABLE fbf_ledger SET (vacuum_truncate = off);
