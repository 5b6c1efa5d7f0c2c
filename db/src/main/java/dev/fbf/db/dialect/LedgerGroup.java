package dev.fbf.db.dialect;

import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Application of groups of increments in ledger mode. */
final class LedgerGroup implements GroupCommit.Applier {

    private final CounterTable counters;
    private final CounterSql.AddingSql add;

    LedgerGroup(CounterTable counters, PostgresLedger ledger) {
        this.counters = counters;
        add = counters.sql()
                .addingTogether(
                        ledger.entering() + ", bounded AS (SELECT " + CounterSql.SET_LOCK_TIMEOUT + ")", "bounded");
    }

    @Override
    public void commit(Connection connection, List<GroupedIncrement> group) throws SQLException {
        settle(connection, group, () -> execute(connection, group));
    }

    /**
     * Applies a group. If the server has not reported how that ended, the group is in doubt.
     *
     * @param work returns the counters' values after its COMMIT
     */
    static void settle(Connection connection, List<GroupedIncrement> group, Sql.Work<Map<String, Long>> work)
            throws SQLException {
        try {
            Map<String, Long> values = work.get();
            group.forEach(increment -> increment.claim().applied());
            GroupedIncrement.tell(group, values);
        } catch (SQLException e) {
            if (SqlFailures.isSure(e, connection)) {
                throw e;
            }
            doubt(group, e);
        } catch (RuntimeException | Error e) {
            doubt(group, e);
        }
    }

    /** Executes the statement of a group; returns after its COMMIT. */
    private Map<String, Long> execute(Connection connection, List<GroupedIncrement> group) throws SQLException {
        List<UUID> operations = new ArrayList<>();
        List<@Nullable Long> fingerprints = new ArrayList<>();
        Duration retention = Duration.ZERO;
        for (GroupedIncrement increment : group) {
            operations.add(increment.claim().id().toUuid());
            fingerprints.add(increment.fingerprint());
            Duration its = increment.claim().retryWindow();
            retention = its.compareTo(retention) > 0 ? its : retention;
        }
        PostgresLedger.Columns columns = new PostgresLedger.Columns(operations, fingerprints, retention);
        return counters.addTogether(
                connection, add, (same, statement) -> columns.bind(same, statement, 0), GroupedIncrement.sums(group));
    }

    /** Completes the increments as in doubt. */
    private static void doubt(List<GroupedIncrement> group, Throwable reason) {
        group.forEach(increment -> increment.doubted(reason));
    }
}
