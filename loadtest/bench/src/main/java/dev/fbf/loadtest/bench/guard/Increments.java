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
     * @throws org.springframework.dao.DuplicateKeyException if the operation was applied before, for some
     */
    void increment(int counter, String key);

    /** One statement, and nobody minds the retries. */
    class Alone implements Increments {

        private final JdbcTemplate jdbc;
        private final String update;

        Alone(JdbcTemplate jdbc, GuardContender contender) {
            this.jdbc = jdbc;
            update = BenchDatabase.update(contender);
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

        Plain(JdbcTemplate jdbc, GuardContender contender) {
            this.jdbc = jdbc;
            update = BenchDatabase.update(contender);
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
        private final String insert;
        private final String update;

        KeyInsert(JdbcTemplate jdbc, GuardContender contender) {
            this.jdbc = jdbc;
            insert = "INSERT INTO " + contender.keys() + " (key) VALUES (?)";
            update = BenchDatabase.update(contender);
        }

        @Override
        @Transactional
        public void increment(int counter, String key) {
            jdbc.update(insert, key);
            jdbc.update(update, counter);
        }
    }

    /** What can be done by hand to spare a round trip. */
    class Cte implements Increments {

        private final JdbcTemplate jdbc;
        private final String insertAndUpdate;

        Cte(JdbcTemplate jdbc, GuardContender contender) {
            this.jdbc = jdbc;
            insertAndUpdate = "WITH entered AS (INSERT INTO " + contender.keys()
                    + " (key) VALUES (?) ON CONFLICT DO NOTHING RETURNING key) UPDATE " + contender.counters()
                    + " SET value = value + 1 FROM entered WHERE id = ?";
        }

        @Override
        public void increment(int counter, String key) {
            jdbc.update(insertAndUpdate, key, counter);
        }
    }

    /** fbf, in the mode of its application. */
    class Guarded implements Increments {

        private final JdbcTemplate jdbc;
        private final String update;

        Guarded(JdbcTemplate jdbc, GuardContender contender) {
            this.jdbc = jdbc;
            update = BenchDatabase.update(contender);
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

        GuardedSqlOnly(JdbcTemplate jdbc, GuardContender contender) {
            this.jdbc = jdbc;
            update = BenchDatabase.update(contender);
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

        Counters(SqlCounters.Builder builder, GuardContender contender) {
            counters = builder.scope("guarded")
                    .table(contender.counters(), "id", "value")
                    .build();
        }

        @Override
        public void increment(int counter, String key) {
            counters.increment(Integer.toString(counter), key, 1);
        }
    }
}
