package dev.fbf.db.dialect;

import dev.fbf.core.claim.Claim;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Application of groups of increments in databases with standard SQL: one transaction, with a statement per operation and counter. */
final class StandardGroup implements GroupCommit.Applier {

    /** The time that a group waits for a locked row. */
    private static final Duration BRIEF = Duration.ofMillis(250);

    private static final String NO_DATA = "02000";

    private final StandardDialect dialect;
    private final CounterRows counters;
    private final StandardLedger ledger;

    StandardGroup(StandardDialect dialect, CounterRows counters, StandardLedger ledger) {
        this.dialect = dialect;
        this.counters = counters;
        this.ledger = ledger;
    }

    /** Before COMMIT is sent, each failure rolls the group back; after it, only the server's success is certain. */
    @Override
    public void commit(Connection connection, List<GroupedIncrement> group) throws SQLException {
        Map<String, Long> values;
        boolean isSent = false;
        OwnTransaction transaction = OwnTransaction.begin(connection);
        try (transaction) {
            values = dialect.withTimeout(BRIEF).in(connection, () -> {
                enter(connection, group);
                Map<String, Long> sums = GroupedIncrement.sums(group);
                Map<String, Long> added = counters.addAll(connection, sums);
                if (added.size() < sums.size()) {
                    throw new SQLException("a counter of the group does not exist", NO_DATA);
                }
                return added;
            });
            isSent = true;
            transaction.commit();
        } catch (SQLException | RuntimeException | Error e) {
            if (!isSent) {
                throw e;
            }
            group.forEach(increment -> increment.doubted(e));
            return;
        }
        group.forEach(increment -> increment.claim().applied());
        GroupedIncrement.tell(group, values);
    }

    /** Inserts the rows of the operations, in one order at all nodes. */
    private void enter(Connection connection, List<GroupedIncrement> group) throws SQLException {
        List<GroupedIncrement> sorted = new ArrayList<>(group);
        sorted.sort(Comparator.comparing(increment -> increment.claim().id().toUuid()));
        String transaction = null;
        for (GroupedIncrement increment : sorted) {
            Claim claim = increment.claim();
            transaction = ledger.insert(
                            connection,
                            claim.id().toUuid(),
                            increment.fingerprint(),
                            claim.retryWindow(),
                            transaction,
                            true)
                    .transaction();
            if (transaction == null) {
                throw new SQLException("an operation of the group is not new", SqlFailures.UNIQUE_VIOLATION);
            }
        }
    }
}
