package dev.fbf.loadtest.bench.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import dev.fbf.cassandra.LaneCounters;
import dev.fbf.cassandra.LaneIncrement;
import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** How a contender adds 1 to a counter. Thread-safe, but for {@link #conditional}. */
@FunctionalInterface
interface Increments {

    Duration TIMEOUT = Duration.ofSeconds(20);

    /**
     * Adds 1.
     *
     * @param client the number of the client, which always comes to the same node of the application
     */
    void increment(int client, String counter);

    static Increments column(CqlSession session) {
        session.execute("CREATE TABLE own (name text PRIMARY KEY, value counter)");
        PreparedStatement add = session.prepare("UPDATE own SET value = value + 1 WHERE name = ?");
        return (client, counter) ->
                session.execute(add.bind(counter).setConsistencyLevel(DefaultConsistencyLevel.QUORUM));
    }

    /** For one client alone. */
    static Increments conditional(CqlSession session) {
        session.execute("CREATE TABLE bare (name text PRIMARY KEY, value bigint)");
        session.execute("INSERT INTO bare (name, value) VALUES ('counter 0', 0)");
        PreparedStatement set = session.prepare("UPDATE bare SET value = ? WHERE name = ? IF value = ?");
        AtomicLong value = new AtomicLong();
        return (client, counter) -> {
            long known = value.getAndIncrement();
            boolean applied = session.execute(set.bind(known + 1, counter, known)
                            .setConsistencyLevel(DefaultConsistencyLevel.QUORUM)
                            .setSerialConsistencyLevel(DefaultConsistencyLevel.SERIAL))
                    .wasApplied();
            if (!applied) {
                throw new IllegalStateException("value=" + known + ": another client has written");
            }
        };
    }

    static Increments lanes(List<LaneCounters> nodes) {
        return (client, counter) -> increment(nodes.get(client % nodes.size()), counter);
    }

    /** Applies a new operation; returns it. */
    static OperationId increment(LaneCounters node, String counter) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Claim claim = (Claim) node.admit(new OperationId(random.nextLong(), random.nextLong()));
        LaneIncrement increment = node.apply(claim, null, Map.of(counter, 1L), TIMEOUT);
        if (increment == null || increment.values() == null) {
            throw new IllegalStateException("not applied: "
                    + (increment == null ? "in doubt" : increment.refusal() + " " + increment.reason()));
        }
        return claim.id();
    }
}
