package dev.fbf.db.witness;

import dev.fbf.core.claim.Refusal;
import dev.fbf.core.claim.WitnessedDatabase;
import dev.fbf.core.claim.WitnessedTransaction;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Applies groups of increments in filter mode: one slot and one token per group. */
final class WitnessedGroup implements GroupCommit.Applier {

    /*
     * One statement is one transaction and takes one round trip. It adds nothing if the witness's row has another token. If a counter's row
     * cannot be locked, the witness's row is not updated either: the token stands for all claims of its transaction, so the remaining
     * increments need a new transaction.
     */
    private final CounterSql.OptimisticSql addOptimistically;
    private final String addLocked;
    private final CounterTable counters;
    private final WitnessedDatabase database;
    private final WitnessTable witness;

    WitnessedGroup(CounterTable counters, WitnessedDatabase database, WitnessTable witness) {
        this.counters = counters;
        this.database = database;
        this.witness = witness;
        addOptimistically = counters.sql()
                .addingOptimistically("turned AS (" + witness.compareAndSet() + " RETURNING slot)", "turned");
        addLocked = counters.sql().addingWitnessed(witness.compareAndSet());
    }

    @Override
    public void applyOptimistically(Connection connection, List<GroupedIncrement> group, Duration timeout)
            throws SQLException {
        commit(connection, group, transaction -> {
            Map<String, Long> sums = GroupedIncrement.sums(group);
            try (PreparedStatement statement = connection.prepareStatement(addOptimistically.of(sums))) {
                int set = bindWitness(statement, 0, transaction);
                counters.bindOptimistic(statement, set, sums, timeout);
                return GroupResult.of(CounterTable.keysAndValues(statement));
            }
        });
    }

    @Override
    public Set<String> apply(Connection connection, List<GroupedIncrement> group, @Nullable Wait wait)
            throws SQLException {
        return commit(connection, group, transaction -> {
            Map<String, Long> sums = GroupedIncrement.sums(group);
            try (GroupStatement statement = GroupStatement.prepare(connection, addLocked, counters, wait)) {
                CounterTable.bindWitnessed(
                        statement.statement(),
                        statement.offset(),
                        sums,
                        (it, offset) -> bindWitness(it, offset, transaction));
                GroupResult result = new GroupResult(sums.keySet());
                try (ResultSet rows = statement.execute()) {
                    while (rows.next()) {
                        result.read(rows, 1);
                    }
                }
                return result;
            }
        });
    }

    private interface Execution {
        /** Executes the statement of a group. Returns no values if the witness's row has another token. */
        GroupResult of(WitnessedTransaction transaction) throws SQLException;
    }

    /** Returns after the COMMIT. */
    private static GroupResult execute(Execution execution, WitnessedTransaction transaction) throws SQLException {
        return execution.of(transaction);
    }

    private Set<String> commit(Connection connection, List<GroupedIncrement> group, Execution execution)
            throws SQLException {
        WitnessedTransaction transaction = begin(group);
        GroupResult result;
        try {
            transaction.beforeCommit();
            result = execute(execution, transaction);
        } catch (SQLException e) {
            if (SqlFailures.isSure(e, connection)) {
                transaction.withdraw();
                throw e;
            }
            doubt(transaction, group, e);
            return Set.of();
        } catch (RuntimeException | Error e) {
            doubt(transaction, group, e);
            return Set.of();
        }
        if (!result.missed().isEmpty()) {
            transaction.withdraw();
            return result.missed();
        }
        if (result.values().isEmpty()) {
            transaction.mismatched();
            group.forEach(increment -> increment.done(null, Refusal.RECOVERING, null, null));
        } else {
            transaction.committed();
            GroupedIncrement.tell(group, result.values());
        }
        return Set.of();
    }

    private static void doubt(WitnessedTransaction transaction, List<GroupedIncrement> group, Throwable reason) {
        transaction.inDoubt();
        group.forEach(increment -> increment.done(null, Refusal.IN_DOUBT, reason, transaction));
    }

    private WitnessedTransaction begin(List<GroupedIncrement> group) {
        WitnessedTransaction transaction = database.transaction(group.get(0).claim());
        group.stream().skip(1).forEach(increment -> transaction.add(increment.claim()));
        return transaction;
    }

    private int bindWitness(PreparedStatement statement, int offset, WitnessedTransaction transaction)
            throws SQLException {
        return witness.bind(statement, offset, transaction.slot(), transaction.previous(), transaction.next());
    }
}
