package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.fbf.cassandra.LaneTable.Stored;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;

/** Reads lanes as the product does, and as it must not. */
public final class LaneReader {

    /** Any will do: nothing is remembered. */
    private static final FilterPlan PLAN = new FilterSizing(1, Duration.ofMinutes(1), 0.001).plan();

    private LaneReader() {}

    /**
     * Reads the groups of a lane's window by a majority, and so makes the replicas that respond equal. Does not read those that have
     * expired: Cassandra refuses to read more than 100,000 of them.
     */
    public static void readWindow(CqlSession session, String scope, int lane) {
        LaneTable table = new LaneTable(session, new LaneSettings(scope, PLAN));
        long seq = table.seq(lane);
        Stored last = seq == 0 ? null : table.group(lane, seq);
        if (last != null) {
            table.groups(lane, last.group().floor(), seq).forEach(Stored::number);
        }
    }

    /** Takes any group after the last known one for this node's. */
    public static Object decide(Object table, int lane, long seq, Throwable failure) {
        try {
            long now = ((LaneTable) table).seq(lane);
            return new LaneTable.Decision(now > seq, now);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
            throw new IllegalStateException(failure);
        }
    }
}
