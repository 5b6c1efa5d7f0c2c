package dev.fbf.db;

import dev.fbf.core.guard.WitnessedDatabase;
import dev.fbf.core.guard.WitnessedTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Applies groups whose outcome the witness tells: one slot and one token for all of a group. */
final class WitnessedGroup implements GroupCommit.Applier {

    /*
     * One statement is one transaction, and takes one round trip. If the witness's row has another token, then nothing
     * depends on it and nothing is added.
     */
    private final String add;
    private final WitnessedDatabase database;
    private final WitnessTable witness;

    WitnessedGroup(CounterTable counters, WitnessedDatabase database, WitnessTable witness) {
        this.database = database;
        this.witness = witness;
        add = "WITH turned AS (" + WitnessTable.COMPARE_AND_SET + " RETURNING slot)"
                + ", change AS (SELECT change.* FROM turned,"
                + " unnest(?::text[], ?::bigint[]) WITH ORDINALITY AS change(name, delta, n))"
                + counters.addingChanges();
    }

    @Override
    public void apply(Connection connection, List<GroupedIncrement> group) throws SQLException {
        WitnessedTransaction transaction = begin(group);
        List<CountedRow> rows;
        try {
            transaction.beforeCommit();
            rows = execute(connection, transaction, group);
        } catch (SQLException e) {
            if (SqlFailures.isSure(e, connection)) {
                transaction.withdraw();
                throw e;
            }
            transaction.inDoubt();
            group.forEach(increment -> increment.done(new GroupOutcome.Unknown(e, transaction)));
            return;
        }
        if (rows.isEmpty()) {
            transaction.misplaced();
            group.forEach(increment -> increment.done(GroupOutcome.NotApplied.STARTING));
        } else {
            transaction.committed();
            CountedRow.tell(group, rows);
        }
    }

    private WitnessedTransaction begin(List<GroupedIncrement> group) {
        WitnessedTransaction transaction = database.transaction(group.get(0).claim());
        group.stream().skip(1).forEach(increment -> transaction.add(increment.claim()));
        return transaction;
    }

    /** The counter of each increment; none if the witness's row was not turned. */
    private List<CountedRow> execute(
            Connection connection, WitnessedTransaction transaction, List<GroupedIncrement> group) throws SQLException {
        Map<String, Long> sums = new LinkedHashMap<>();
        group.forEach(increment -> sums.merge(increment.counter(), increment.delta(), Math::addExact));
        Object[] names = sums.keySet().toArray();
        try (PreparedStatement statement = connection.prepareStatement(add)) {
            int set = witness.bind(statement, transaction.slot(), transaction.previous(), transaction.next());
            statement.setArray(set + 1, connection.createArrayOf("text", names));
            statement.setArray(
                    set + 2, connection.createArrayOf("bigint", sums.values().toArray()));
            Map<String, CountedRow> rows = new LinkedHashMap<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.put(
                            (String) names[result.getInt(1) - 1],
                            new CountedRow(result.getString(2), result.getLong(3)));
                }
            }
            List<CountedRow> byIncrement = new ArrayList<>();
            if (!rows.isEmpty()) {
                group.forEach(increment -> byIncrement.add(rows.get(increment.counter())));
            }
            return byIncrement;
        }
    }
}
