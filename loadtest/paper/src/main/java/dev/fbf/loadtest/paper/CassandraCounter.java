package dev.fbf.loadtest.paper;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.fbf.cassandra.LaneCounters;
import dev.fbf.cassandra.LaneIncrement;
import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** A counter on Cassandra, as a client sees it that retries what it does not know. Thread-safe. */
interface CassandraCounter {

    /** Sends an operation that adds 1; returns whether the client knows now that it was applied. */
    boolean send(String operation);

    long value();

    /** Cassandra's own. */
    record Column(CqlSession session, PreparedStatement add, PreparedStatement read, String name)
            implements CassandraCounter {

        static Column of(CqlSession session, String name) {
            return new Column(
                    session,
                    session.prepare("UPDATE own SET value = value + 1 WHERE name = ?"),
                    session.prepare("SELECT value FROM own WHERE name = ?"),
                    name);
        }

        @Override
        public boolean send(String operation) {
            try {
                session.execute(add.bind(name).setConsistencyLevel(DefaultConsistencyLevel.QUORUM));
                return true;
            } catch (DriverException e) {
                return false;
            }
        }

        @Override
        public long value() {
            Row row = session.execute(read.bind(name).setConsistencyLevel(DefaultConsistencyLevel.QUORUM))
                    .one();
            return row == null ? 0 : row.getLong(0);
        }
    }

    /** fbf's. */
    record Exact(LaneCounters counters, String name) implements CassandraCounter {

        private static final Duration TIMEOUT = Duration.ofSeconds(5);

        @Override
        public boolean send(String operation) {
            Admission admission = counters.admit(OperationId.of("paper", name, operation), null);
            if (!(admission instanceof Claim claim)) {
                return admission == Refusal.APPLIED;
            }
            LaneIncrement increment = counters.apply(claim, Map.of(name, 1L), TIMEOUT);
            return increment != null && (increment.values() != null || increment.refusal() == Refusal.APPLIED);
        }

        @Override
        public long value() {
            return counters.values(Set.of(name)).getOrDefault(name, 0L);
        }
    }
}
