package dev.fbf.db.witness;

import dev.fbf.db.witness.NodeLease.Self;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.UUID;

/**
 * The lease of a scope in filter mode: a row of the table {@code fbf_lease}.
 *
 * @param node the holder
 * @param run the id of the holder's process, new with each start
 * @param process the holder's host, process number and directory
 * @param applies whether the holder may apply operations; if not, it holds them back
 * @param ended whether the holder has shut down cleanly
 * @param knows the node whose operations may be retried
 * @param knownBy a description of that node, for messages
 * @param seenAt the time of the row's last write, by the database's clock
 * @param age the minimum time since the row's last write
 * @param retriesFor the time after the row's last write in which retries can arrive of operations that were applied before it
 * @param beat the beat that the node in {@code knows} has given it
 */
record LeaseRow(
        UUID node,
        UUID run,
        String process,
        boolean applies,
        boolean ended,
        UUID knows,
        String knownBy,
        OffsetDateTime seenAt,
        Duration age,
        Duration retriesFor,
        long beat) {

    static LeaseRow of(ResultSet row, Duration age) throws SQLException {
        return new LeaseRow(
                row.getObject("node", UUID.class),
                row.getObject("run", UUID.class),
                row.getString("process"),
                row.getBoolean("applies"),
                row.getBoolean("ended"),
                row.getObject("knows", UUID.class),
                row.getString("known_by"),
                row.getObject("seen_at", OffsetDateTime.class),
                age,
                seconds(row, "retry_seconds"),
                row.getLong("beat"));
    }

    static Duration seconds(ResultSet row, String column) throws SQLException {
        return Duration.ofNanos((long) (row.getDouble(column) * 1e9));
    }

    /**
     * Derives a node's standing in the scope from this row.
     *
     * @param isKnown whether the node's files have this row's beat
     */
    Standing standing(Self self, boolean isKnown) {
        boolean isOwn = run.equals(self.run());
        boolean isAlive = !ended && age.compareTo(LeaseTable.LEASE) < 0;
        if (isAlive && !isOwn && !givesWayTo(self, isKnown)) {
            return new Standing(Standing.State.REFUSED, Duration.ZERO, node, toString());
        }
        Duration rest = rest(applies && !ended && !isOwn);
        return rest.isZero() || knows.equals(self.node())
                ? Standing.held(self, rest)
                : new Standing(Standing.State.HELD_BACK, rest, knows, applies ? toString() : knownBy);
    }

    /**
     * Returns whether a node may take the lease though its holder seems alive: the holder only waits, for this node or as an earlier process
     * of it. Or the holder was an earlier process of this node: its beat is in the node's files, and the directory, whose lock this process
     * has, is not a copy.
     */
    private boolean givesWayTo(Self self, boolean isKnown) {
        if (!applies) {
            return knows.equals(self.node()) || node.equals(self.node());
        }
        return node.equals(self.node()) && isKnown && !self.isOnCopy();
    }

    /** Returns the remaining time in which retries of earlier operations can arrive; zero if none can. */
    private Duration rest(boolean died) {
        Duration since =
                died ? age.minus(LeaseTable.LEASE) : age; // the last operation may be as late as the lease's end
        Duration rest = since.isNegative() ? retriesFor : retriesFor.minus(since);
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    @Override
    public String toString() {
        return "node " + node + " (" + process + ", last seen " + seenAt.toInstant() + ")";
    }
}
