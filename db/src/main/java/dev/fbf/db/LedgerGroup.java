package dev.fbf.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** Applies groups whose operations go to the ledger: what is there, or on its way there, is left out. */
final class LedgerGroup implements GroupCommit.Applier {

    private final String add;

    LedgerGroup(CounterTable counters) {
        add = counters.addingEntered();
    }

    @Override
    public Set<String> apply(Connection connection, List<GroupedIncrement> group) throws SQLException {
        Set<UUID> entered = new HashSet<>();
        GroupResult result;
        try {
            result = execute(connection, group, entered);
        } catch (SQLException e) {
            if (SqlFailures.isSure(e, connection)) {
                throw e;
            }
            doubt(group, e);
            return Set.of();
        } catch (RuntimeException | Error e) {
            doubt(group, e);
            return Set.of();
        }
        if (!result.missed().isEmpty()) {
            return result.missed();
        }
        try {
            tell(connection, group, entered, result.values());
        } catch (RuntimeException | Error e) {
            doubt(group, e);
        }
        return Set.of();
    }

    private static void tell(
            Connection connection, List<GroupedIncrement> group, Set<UUID> entered, Map<String, Long> values) {
        List<GroupedIncrement> applied = new ArrayList<>();
        List<GroupedIncrement> others = new ArrayList<>();
        group.forEach(increment -> (entered.contains(operation(increment)) ? applied : others).add(increment));
        applied.forEach(increment -> increment.claim().applied());
        GroupedIncrement.tell(applied, values);
        tellWhy(connection, others);
    }

    /** The next try of each finds out. */
    private static void doubt(List<GroupedIncrement> group, Throwable reason) {
        group.forEach(increment -> increment.doubted(reason));
    }

    private GroupResult execute(Connection connection, List<GroupedIncrement> group, Set<UUID> entered)
            throws SQLException {
        Map<String, Integer> ordinals = new LinkedHashMap<>();
        group.forEach(increment -> ordinals.putIfAbsent(increment.counter(), ordinals.size() + 1));
        GroupResult counters = new GroupResult(ordinals.keySet());
        try (PreparedStatement statement = GroupStatement.prepare(connection, add)) {
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
            setArray(statement, 5, "bigint", group, increment -> ordinals.get(increment.counter()));
            setArray(statement, 6, "bigint", group, GroupedIncrement::delta);
            statement.setArray(
                    7, connection.createArrayOf("text", ordinals.keySet().toArray()));
            statement.setInt(8, ordinals.size());
            try (ResultSet rows = GroupStatement.execute(statement)) {
                while (rows.next()) {
                    UUID operation = rows.getObject(1, UUID.class);
                    if (operation == null) {
                        counters.read(rows, 2);
                    } else {
                        entered.add(operation);
                    }
                }
            }
        }
        return counters;
    }

    /** Those that were not entered are in the ledger, or another transaction is entering them. */
    private static void tellWhy(Connection connection, List<GroupedIncrement> others) {
        Set<UUID> applied = others.isEmpty() ? Set.of() : appliedBefore(connection, others);
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

    /** If that cannot be asked now, a retry finds out. */
    private static Set<UUID> appliedBefore(Connection connection, List<GroupedIncrement> others) {
        try {
            return LedgerTable.containedOf(
                    connection, others.stream().map(LedgerGroup::operation).toList());
        } catch (SQLException e) {
            return Set.of();
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
