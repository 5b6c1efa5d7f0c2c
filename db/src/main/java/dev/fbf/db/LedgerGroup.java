package dev.fbf.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** Applies groups whose operations go to the ledger: what is there, or on its way there, is left out. */
final class LedgerGroup implements GroupCommit.Applier {

    private final String add;

    LedgerGroup(CounterTable counters) {
        add = "WITH entry AS (SELECT * FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[],"
                + " ?::bigint[]) WITH ORDINALITY AS entry(operation, low, fingerprint, retention, name, delta, n))"
                + ", entered AS (" + LedgerTable.INSERT_ENTRIES + " RETURNING operation)"
                + ", change AS (SELECT n, name, delta FROM entry JOIN entered USING (operation))"
                + counters.addingChanges();
    }

    @Override
    public void apply(Connection connection, List<GroupedIncrement> group) throws SQLException {
        Map<Integer, CountedRow> rows;
        try {
            rows = execute(connection, group);
        } catch (SQLException e) {
            if (SqlFailures.isSure(e, connection)) {
                throw e;
            }
            // the next try of each finds out
            group.forEach(increment -> {
                increment.claim().rolledBack();
                increment.done(new GroupOutcome.Unknown(e, null));
            });
            return;
        }
        List<GroupedIncrement> applied = new ArrayList<>();
        List<CountedRow> values = new ArrayList<>();
        List<GroupedIncrement> others = new ArrayList<>();
        for (int i = 0; i < group.size(); i++) {
            CountedRow row = rows.get(i + 1);
            if (row == null) {
                others.add(group.get(i));
            } else {
                applied.add(group.get(i));
                values.add(row);
            }
        }
        applied.forEach(increment -> increment.claim().applied());
        CountedRow.tell(applied, values);
        tellWhy(connection, others);
    }

    private Map<Integer, CountedRow> execute(Connection connection, List<GroupedIncrement> group) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(add)) {
            setArray(statement, 1, "uuid", group, increment -> operation(increment));
            setArray(
                    statement,
                    2,
                    "bigint",
                    group,
                    increment -> operation(increment).getLeastSignificantBits());
            setArray(statement, 3, "bigint", group, GroupedIncrement::fingerprint);
            setArray(
                    statement,
                    4,
                    "bigint",
                    group,
                    increment -> LedgerTable.millis(increment.claim().retryWindow()));
            setArray(statement, 5, "text", group, GroupedIncrement::counter);
            setArray(statement, 6, "bigint", group, GroupedIncrement::delta);
            Map<Integer, CountedRow> rows = new HashMap<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.put(result.getInt(1), new CountedRow(result.getString(2), result.getLong(3)));
                }
            }
            return rows;
        }
    }

    /** Those that were not entered are in the ledger, or another transaction is entering them. */
    private static void tellWhy(Connection connection, List<GroupedIncrement> others) throws SQLException {
        if (others.isEmpty()) {
            return;
        }
        Set<UUID> applied = LedgerTable.containedOf(
                connection, others.stream().map(LedgerGroup::operation).toList());
        for (GroupedIncrement increment : others) {
            if (applied.contains(operation(increment))) {
                increment.claim().applied();
                increment.done(GroupOutcome.NotApplied.DUPLICATE);
            } else {
                increment.claim().rolledBack();
                increment.done(GroupOutcome.NotApplied.IN_PROGRESS);
            }
        }
    }

    private static UUID operation(GroupedIncrement increment) {
        return increment.claim().id().toUuid();
    }

    private static void setArray(
            PreparedStatement statement,
            int index,
            String type,
            List<GroupedIncrement> group,
            Function<GroupedIncrement, Object> element)
            throws SQLException {
        Object[] elements = group.stream().map(element).toArray();
        statement.setArray(index, statement.getConnection().createArrayOf(type, elements));
    }
}
