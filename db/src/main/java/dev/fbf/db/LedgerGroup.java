package dev.fbf.db;

import dev.fbf.core.guard.Refusal;
import dev.fbf.db.LockedCounters.Wait;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Applies groups whose operations go to the ledger: what is there, or on its way there, is left out. Used by one thread. */
final class LedgerGroup implements GroupCommit.Applier {

    /*
     * Nearly always all operations of a group are new: what this node has applied, its filter has kept from coming here. So the
     * first statement adds what the client has summed, and fails as a whole if one of them is not new. Then, and for a
     * while after that, another statement finds out which are, and what to add.
     */

    /** For how many groups duplicates are expected once there was one. */
    private static final int SUSPICIOUS = 32;

    private final CounterTable counters;
    private final String addIfEntered;
    private final String addEntered;
    private final LedgerTable ledger;

    private int suspicious;

    LedgerGroup(CounterTable counters, LedgerTable ledger) {
        this.counters = counters;
        this.ledger = ledger;
        addIfEntered = counters.addingIfEntered(ledger.insertEntries());
        addEntered = counters.addingEntered(ledger.insertEntries());
    }

    @Override
    public Set<String> apply(Connection connection, List<GroupedIncrement> group, @Nullable Wait wait)
            throws SQLException {
        Set<UUID> entered = new HashSet<>();
        GroupResult result;
        try {
            result = execute(connection, group, wait, entered);
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

    /** The next try of each finds out. */
    private static void doubt(List<GroupedIncrement> group, Throwable reason) {
        group.forEach(increment -> increment.doubted(reason));
    }

    private GroupResult execute(
            Connection connection, List<GroupedIncrement> group, @Nullable Wait wait, Set<UUID> entered)
            throws SQLException {
        if (suspicious > 0) {
            suspicious--;
        } else {
            try {
                GroupResult result = addIfEntered(connection, group, wait);
                group.forEach(increment -> entered.add(operation(increment)));
                return result;
            } catch (SQLException e) {
                if (!CounterTable.isNotAllEntered(e)) {
                    throw e;
                }
                suspicious = SUSPICIOUS;
            }
        }
        return addEntered(connection, group, wait, entered);
    }

    private GroupResult addIfEntered(Connection connection, List<GroupedIncrement> group, @Nullable Wait wait)
            throws SQLException {
        Map<String, Long> sums = new LinkedHashMap<>();
        group.forEach(increment -> sums.merge(increment.counter(), increment.delta(), Math::addExact));
        List<@Nullable Long> fingerprints = new ArrayList<>();
        group.forEach(increment -> fingerprints.add(increment.fingerprint()));
        LedgerTable.Entries entries = new LedgerTable.Entries(
                group.stream().map(LedgerGroup::operation).toList(),
                fingerprints,
                group.stream()
                        .map(increment -> increment.claim().retryWindow())
                        .max(Comparator.naturalOrder())
                        .orElseThrow());
        GroupResult result = new GroupResult(sums.keySet());
        try (GroupStatement statement = GroupStatement.prepare(connection, addIfEntered, counters, wait)) {
            CounterTable.bindIfEntered(statement.statement(), statement.offset(), entries, sums);
            try (ResultSet rows = statement.execute()) {
                while (rows.next()) {
                    result.read(rows, 1);
                }
            }
        }
        return result;
    }

    private GroupResult addEntered(
            Connection connection, List<GroupedIncrement> group, @Nullable Wait wait, Set<UUID> entered)
            throws SQLException {
        Map<String, Integer> ordinals = new LinkedHashMap<>();
        group.forEach(increment -> ordinals.putIfAbsent(increment.counter(), ordinals.size() + 1));
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
            PreparedStatement statement, int offset, List<GroupedIncrement> group, Map<String, Integer> ordinals)
            throws SQLException {
        setArray(statement, offset + 1, "uuid", group, LedgerGroup::operation);
        setArray(
                statement,
                offset + 2,
                "bigint",
                group,
                increment -> operation(increment).getLeastSignificantBits());
        setArray(statement, offset + 3, "bigint", group, GroupedIncrement::fingerprint);
        setArray(
                statement,
                offset + 4,
                "bigint",
                group,
                increment -> LedgerTable.millis(increment.claim().retryWindow()));
        setArray(statement, offset + 5, "bigint", group, increment -> ordinals.get(increment.counter()));
        setArray(statement, offset + 6, "bigint", group, GroupedIncrement::delta);
        Object[] names = ordinals.keySet().toArray();
        statement.setArray(offset + 7, statement.getConnection().createArrayOf("text", names));
        statement.setInt(offset + 8, names.length);
    }

    /** Those that were not entered are in the ledger, or another transaction is entering them. */
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
