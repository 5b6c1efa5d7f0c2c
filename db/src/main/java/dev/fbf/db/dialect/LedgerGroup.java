package dev.fbf.db.dialect;

import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

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
        } catch (SQLException | RuntimeException | Error e) {
            if (e instanceof SQLException failure && SqlFailures.isSure(failure, connection)) {
                throw failure;
            }
            group.forEach(increment -> increment.failed(e, true));
        }
    }

    /** Executes the statement of a group; returns after its COMMIT. */
    private Map<String, Long> execute(Connection connection, List<GroupedIncrement> group) throws SQLException {
        UUID[] operations =
                group.stream().map(each -> each.claim().id().toUuid()).toArray(UUID[]::new);
        Long[] locks =
                Arrays.stream(operations).map(UUID::getLeastSignificantBits).toArray(Long[]::new);
        Long[] fingerprints =
                group.stream().map(each -> each.claim().fingerprint()).toArray(Long[]::new);
        int retention = group.stream()
                .mapToInt(each -> PostgresLedger.seconds(each.claim().retryWindow()))
                .max()
                .orElseThrow();
        return counters.addTogether(
                connection,
                add,
                GroupedIncrement.sums(group),
                retention,
                connection.createArrayOf("uuid", operations),
                connection.createArrayOf("bigint", locks),
                connection.createArrayOf("bigint", fingerprints));
    }
}
