package dev.fbf.loadtest.bench.guard;

import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.SqlCounters;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Adds one to a counter, as a user's service does: beans that are called through Spring's proxies. */
interface Increments {

    /**
     * Adds one.
     *
     * @param counter which of the counters
     * @param key names the operation
     */
    void increment(int counter, String key);

    /** One statement, and nobody minds the retries. */
    class Alone implements Increments {

        private final JdbcTemplate jdbc;
        private final String update;

        Alone(JdbcTemplate jdbc, String table) {
            this.jdbc = jdbc;
            update = BenchDatabase.update(table);
        }

        @Override
        public void increment(int counter, String key) {
            jdbc.update(update, counter);
        }
    }

    /** A transaction, and nobody minds the retries. */
    class Plain implements Increments {

        private final JdbcTemplate jdbc;
        private final String update;

        Plain(JdbcTemplate jdbc, String table) {
            this.jdbc = jdbc;
            update = BenchDatabase.update(table);
        }

        @Override
        @Transactional
        public void increment(int counter, String key) {
            jdbc.update(update, counter);
        }
    }

    /** What most libraries do: a row for each key, which fails if there is one already. */
    class KeyInsert implements Increments {

        private final JdbcTemplate jdbc;
        private final String update;

        KeyInsert(JdbcTemplate jdbc, String table) {
            this.jdbc = jdbc;
            update = BenchDatabase.update(table);
        }

        @Override
        @Transactional
        public void increment(int counter, String key) {
            jdbc.update("INSERT INTO idempotency_key (key) VALUES (?)", key);
            jdbc.update(update, counter);
        }
    }

    /** fbf, in the mode of its application. */
    class Guarded implements Increments {

        private final JdbcTemplate jdbc;
        private final String update;

        Guarded(JdbcTemplate jdbc, String table) {
            this.jdbc = jdbc;
            update = BenchDatabase.update(table);
        }

        @Override
        @IdempotentIncrement(scope = "guarded", key = "#key")
        public void increment(int counter, String key) {
            jdbc.update(update, counter);
        }
    }

    /** The same, and fbf is told that there is nothing but SQL to take back. */
    class GuardedSqlOnly implements Increments {

        private final JdbcTemplate jdbc;
        private final String update;

        GuardedSqlOnly(JdbcTemplate jdbc, String table) {
            this.jdbc = jdbc;
            update = BenchDatabase.update(table);
        }

        @Override
        @IdempotentIncrement(scope = "guarded", key = "#key", sqlOnly = true)
        public void increment(int counter, String key) {
            jdbc.update(update, counter);
        }
    }

    /** fbf's own counters, in the mode of its application. */
    class Counters implements Increments {

        private final SqlCounters counters;

        Counters(SqlCounters.Builder builder, String table) {
            counters = builder.scope("guarded").table(table, "id", "value").build();
        }

        @Override
        public void increment(int counter, String key) {
            counters.increment(Integer.toString(counter), key, 1);
        }
    }
}
