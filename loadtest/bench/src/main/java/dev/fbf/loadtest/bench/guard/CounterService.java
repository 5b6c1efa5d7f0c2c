package dev.fbf.loadtest.bench.guard;

import dev.fbf.spring.IdempotentIncrement;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** A user's service, with a method for each way to add one to a counter: a bean that is called through Spring's proxies. */
class CounterService {

    private final JdbcTemplate jdbc;
    private final String update;
    private final String insert;
    private final String insertAndUpdate;

    CounterService(JdbcTemplate jdbc, GuardContender contender) {
        this.jdbc = jdbc;
        update = BenchDatabase.update(contender);
        insert = "INSERT INTO " + contender.keys() + " (key) VALUES (?)";
        insertAndUpdate = "WITH entered AS (" + insert + " ON CONFLICT DO NOTHING RETURNING key) UPDATE "
                + contender.counters() + " SET value = value + 1 FROM entered WHERE id = ?";
    }

    /** One statement, and nobody minds the retries. */
    public void update(int counter, String key) {
        jdbc.update(update, counter);
    }

    /** A transaction, and nobody minds the retries. */
    @Transactional
    public void updateInTransaction(int counter, String key) {
        jdbc.update(update, counter);
    }

    /** What most libraries do: a row for each key, which fails if there is one already. */
    @Transactional
    public void insertKey(int counter, String key) {
        jdbc.update(insert, key);
        jdbc.update(update, counter);
    }

    /** What can be done by hand to spare a round trip. */
    public void insertKeyInSameStatement(int counter, String key) {
        jdbc.update(insertAndUpdate, key, counter);
    }

    /** fbf, in the mode of its application. */
    @IdempotentIncrement(scope = "guarded", key = "#key")
    public void guarded(int counter, String key) {
        jdbc.update(update, counter);
    }

    /** The same, and fbf is told that there is nothing but SQL to take back. */
    @IdempotentIncrement(scope = "guarded", key = "#key", sqlOnly = true)
    public void guardedSqlOnly(int counter, String key) {
        jdbc.update(update, counter);
    }
}
