package dev.fbf.db.ledger;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterSql;
import dev.fbf.db.counter.CounterTable;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupCommit.Wait;
import dev.fbf.db.group.GroupResult;
import dev.fbf.db.group.GroupStatement;
import dev.fbf.db.group.GroupedIncrement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Applies groups of increments in ledger mode. Skips operations that are in the ledger or that another transaction is entering. Not
 * thread-safe.
 */
final class LedgerGroup implements GroupCommit.Applier {

    private final CounterTable counters;
    private final CounterSql.OptimisticSql addOptimistically;
    private final String addEntered;
    private final LedgerTable ledger;

    LedgerGroup(CounterTable counters, LedgerTable ledger) {
        this.counters = counters;
        this.ledger = ledger;
        addOptimistically = counters.sql().addingOptimistically(ledger.entering(), null);
        addEntered = counters.sql().addingEntered(ledger.insertEntries());
    }

    @Override
    public void applyOptimistically(Connection connection, List<GroupedIncrement> group, Duration timeout)
            throws SQLException {
        commit(connection, group, entered -> {
            Map<String, Long> values = addOptimistically(connection, group, timeout);
            group.forEach(increment -> entered.add(operation(increment)));
            return GroupResult.of(values);
        });
    }

    @Override
    public Set<String> apply(Connection connection, List<GroupedIncrement> group, @Nullable Wait wait)
            throws SQLException {
        return commit(connection, group, entered -> addEntered(connection, group, wait, entered));
    }

    private interface Execution {
        /**
         * Executes the statement of a group.
         *
         * @param entered receives the operations that the statement enters
         */
        GroupResult of(Set<UUID> entered) throws SQLException;
    }

    /** Returns after the COMMIT. */
    private static GroupResult execute(Execution execution, Set<UUID> entered) throws SQLException {
        return execution.of(entered);
    }

    private Set<String> commit(Connection connection, List<GroupedIncrement> group, Execution execution)
            throws SQLException {
        Set<UUID> entered = new HashSet<>();
        GroupResult result;
        try {
            result = execute(execution, entered);
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

    private void tell(
            Connection connection, List<GroupedIncrement> group, Set<UUID> entered, Map<String, Long> values) {
        List<GroupedIncrement> applied = new ArrayList<>();
        List<GroupedIncrement> others = new ArrayList<>();
        group.forEach(increment -> (entered.contains(operation(increment)) ? applied : others).add(increment));
        applied.forEach(increment -> increment.claim().applied());
        GroupedIncrement.tell(applied, values);
        tellWhy(connection, others);
    }

    /** A retry determines the outcome. */
    private static void doubt(List<GroupedIncrement> group, Throwable reason) {
        group.forEach(increment -> increment.doubted(reason));
    }

    private Map<String, Long> addOptimistically(Connection connection, List<GroupedIncrement> group, Duration timeout)
            throws SQLException {
        List<UUID> operations = new ArrayList<>();
        List<@Nullable Long> fingerprints = new ArrayList<>();
        Duration retention = Duration.ZERO;
        for (GroupedIncrement increment : group) {
            operations.add(operation(increment));
            fingerprints.add(increment.fingerprint());
            Duration its = increment.claim().retryWindow();
            retention = its.compareTo(retention) > 0 ? its : retention;
        }
        LedgerTable.Entries entries = new LedgerTable.Entries(operations, fingerprints, retention);
        Map<String, Long> sums = GroupedIncrement.sums(group);
        try (PreparedStatement statement = connection.prepareStatement(addOptimistically.of(sums))) {
            int set = entries.bind(statement, 0);
            counters.bindOptimistic(statement, set, sums, timeout);
            return CounterTable.keysAndValues(statement);
        }
    }

    private GroupResult addEntered(
            Connection connection, List<GroupedIncrement> group, @Nullable Wait wait, Set<UUID> entered)
            throws SQLException {
        Map<String, Long> ordinals = new LinkedHashMap<>();
        group.forEach(increment -> ordinals.putIfAbsent(increment.counter(), ordinals.size() + 1L));
        GroupResult result = new GroupResult(ordinals.keySet());
        try (GroupStatement statement = GroupStatement.prepare(connection, addEntered, counters, wait)) {
            bind(statement.statement(), statement.offset(), group, ordinals);
            try (ResultSet rows = statement.execute()) {
                while (rows.next()) {
                    UUID operation = rows.getObject(1, UUID.class);
                    if (operation == null) {
                        result.read(rows, 2);
                    } else {
                        entered.add(operation);
                    }
                }
            }
        }
        return result;
    }

    private static void bind(
            PreparedStatement statement, int offset, List<GroupedIncrement> group, Map<String, Long> ordinals)
            throws SQLException {
        setArray(statement, offset + 1, "uuid", group, LedgerGroup::operation, UUID[]::new);
        setArray(
                statement,
                offset + 2,
                "bigint",
                group,
                increment -> operation(increment).getLeastSignificantBits(),
                Long[]::new);
        setArray(statement, offset + 3, "bigint", group, GroupedIncrement::fingerprint, Long[]::new);
        setArray(
                statement,
                offset + 4,
                "integer",
                group,
                increment -> LedgerTable.seconds(increment.claim().retryWindow()),
                Integer[]::new);
        setArray(statement, offset + 5, "bigint", group, increment -> ordinals.get(increment.counter()), Long[]::new);
        setArray(statement, offset + 6, "bigint", group, GroupedIncrement::delta, Long[]::new);
        String[] names = ordinals.keySet().toArray(new String[0]);
        statement.setArray(offset + 7, statement.getConnection().createArrayOf("text", names));
        statement.setInt(offset + 8, names.length);
    }

    /** Completes increments that were skipped: their operations are in the ledger, or another transaction is entering them. */
    private void tellWhy(Connection connection, List<GroupedIncrement> others) {
        Set<UUID> applied = others.isEmpty() ? Set.of() : appliedBefore(connection, others);
        for (GroupedIncrement increment : others) {
            if (applied.contains(operation(increment))) {
                increment.claim().applied();
                increment.done(null, Refusal.APPLIED, null, null);
            } else {
                increment.refused(Refusal.IN_PROGRESS);
            }
        }
    }

    /** Returns an empty set if the query fails: a retry determines the outcome. */
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

    /** The driver sends arrays of boxed types in binary format, other arrays as text. */
    private static <T extends @Nullable Object> void setArray(
            PreparedStatement statement,
            int index,
            String type,
            List<GroupedIncrement> group,
            Function<GroupedIncrement, T> element,
            IntFunction<T[]> array)
            throws SQLException {
        T[] elements = group.stream().map(element).toArray(array);
        statement.setArray(index, statement.getConnection().createArrayOf(type, elements));
    }
}
