package dev.fbf.db;

import dev.fbf.core.guard.WitnessedDatabase;
import dev.fbf.core.guard.WitnessedTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
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
    private final CounterTable counters;
    private final WitnessedDatabase database;
    private final WitnessTable witness;

    WitnessedGroup(CounterTable counters, WitnessedDatabase database, WitnessTable witness) {
        this.counters = counters;
        this.database = database;
        this.witness = witness;
        add = counters.addingWitnessed(witness.compareAndSet());
    }

    @Override
    public void apply(Connection connection, List<GroupedIncrement> group) throws SQLException {
        WitnessedTransaction transaction = begin(group);
        Map<String, Long> values;
        try {
            transaction.beforeCommit();
            values = execute(connection, transaction, group);
        } catch (SQLException e) {
            if (SqlFailures.isSure(e, connection)) {
                transaction.withdraw();
                throw e;
            }
            doubt(transaction, group, e);
            return;
        } catch (RuntimeException | Error e) {
            doubt(transaction, group, e);
            return;
        }
        if (values.isEmpty()) {
            transaction.misplaced();
            group.forEach(increment -> increment.done(GroupOutcome.NotApplied.STARTING));
        } else {
            transaction.committed();
            GroupedIncrement.tell(group, values);
        }
    }

    private static void doubt(WitnessedTransaction transaction, List<GroupedIncrement> group, Throwable reason) {
        transaction.inDoubt();
        group.forEach(increment -> increment.done(new GroupOutcome.Unknown(reason, transaction)));
    }

    private WitnessedTransaction begin(List<GroupedIncrement> group) {
        WitnessedTransaction transaction = database.transaction(group.get(0).claim());
        group.stream().skip(1).forEach(increment -> transaction.add(increment.claim()));
        return transaction;
    }

    /** The values of the counters; none if the witness's row was not turned. */
    private Map<String, Long> execute(
            Connection connection, WitnessedTransaction transaction, List<GroupedIncrement> group) throws SQLException {
        Map<String, Long> sums = new LinkedHashMap<>();
        group.forEach(increment -> sums.merge(increment.counter(), increment.delta(), Math::addExact));
        try (PreparedStatement statement = connection.prepareStatement(add)) {
            counters.bindWitnessed(
                    statement,
                    sums,
                    (it, offset) ->
                            witness.bind(it, offset, transaction.slot(), transaction.previous(), transaction.next()));
            return CounterTable.keysAndValues(statement);
        }
    }
}
