package dev.fbf.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** Applies groups whose operations go to the ledger: what is there, or on its way there, is left out. */
final class LedgerGroup implements GroupCommit.Applier {

    private final String add;
    private final CounterTable counters;
    private final LedgerTable ledger;

    LedgerGroup(CounterTable counters, LedgerTable ledger) {
        this.counters = counters;
        this.ledger = ledger;
        add = counters.addingEntered(ledger.insertEntries());
    }

    @Override
    public void apply(Connection connection, List<GroupedIncrement> group) throws SQLException {
        Set<UUID> entered = new HashSet<>();
        Map<String, Long> values = new HashMap<>();
        try {
            execute(connection, group, entered, values);
        } catch (SQLException e) {
            if (SqlFailures.isSure(e, connection)) {
                throw e;
            }
            doubt(group, e);
            return;
        } catch (RuntimeException | Error e) {
            doubt(group, e);
            return;
        }
        try {
            tell(connection, group, entered, values);
        } catch (RuntimeException | Error e) {
            doubt(group, e);
        }
    }

    private void tell(
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

    private void execute(
            Connection connection, List<GroupedIncrement> group, Set<UUID> entered, Map<String, Long> values)
            throws SQLException {
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
            if (counters.needsCount()) {
                statement.setLong(
                        7,
                        group.stream().map(GroupedIncrement::counter).distinct().count());
            }
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    UUID operation = result.getObject(1, UUID.class);
                    if (operation == null) {
                        values.put(result.getString(2), result.getLong(3));
                    } else {
                        entered.add(operation);
                    }
                }
            }
        }
    }

    /** Those that were not entered are in the ledger, or another transaction is entering them. */
    private void tellWhy(Connection connection, List<GroupedIncrement> others) {
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
    private Set<UUID> appliedBefore(Connection connection, List<GroupedIncrement> others) {
        try {
            return ledger.containedOf(
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
