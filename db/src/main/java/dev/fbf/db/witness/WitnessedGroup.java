package dev.fbf.db.witness;

import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.dialect.CounterSql;
import dev.fbf.db.dialect.CounterTable;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** Application of groups of increments in filter mode: one slot and one token per group. */
final class WitnessedGroup implements GroupCommit.Applier {

    /*
     * One statement is one transaction and takes one round trip. It adds nothing if the witness's row has another token.
     */
    private final CounterSql.AddingSql add;
    private final CounterTable counters;
    private final WitnessedDatabase database;
    private final WitnessTable witness;

    WitnessedGroup(CounterTable counters, WitnessedDatabase database, WitnessTable witness) {
        this.counters = counters;
        this.database = database;
        this.witness = witness;
        add = counters.sql()
                .addingTogether(
                        "turned AS (" + witness.compareAndSet() + " RETURNING " + CounterSql.SET_LOCK_TIMEOUT + ")",
                        "turned");
    }

    @Override
    public void commit(Connection connection, List<GroupedIncrement> group) throws SQLException {
        WitnessedTransaction transaction = begin(group);
        Map<String, Long> values;
        try {
            values = counters.addTogether(
                    connection,
                    add,
                    GroupedIncrement.sums(group),
                    witness.parameters(transaction.slot(), transaction.previous(), transaction.next()));
        } catch (SQLException | RuntimeException | Error e) {
            if (e instanceof SQLException failure && SqlFailures.isSure(failure, connection)) {
                transaction.withdraw();
                throw failure;
            }
            transaction.inDoubt();
            group.forEach(increment -> increment.done(null, Refusal.IN_DOUBT, e, transaction));
            return;
        }
        if (values.isEmpty()) { // the row has another token
            transaction.mismatched();
            group.forEach(increment -> increment.done(null, Refusal.RECOVERING, null, null));
        } else {
            transaction.committed();
            GroupedIncrement.tell(group, values);
        }
    }

    /** Records the claims of a group; if a file fails, no transaction begins. */
    private WitnessedTransaction begin(List<GroupedIncrement> group) {
        WitnessedTransaction transaction = database.transaction(group.get(0).claim());
        try {
            group.stream().skip(1).forEach(increment -> transaction.add(increment.claim()));
            transaction.beforeCommit();
            return transaction;
        } catch (StorageException e) {
            transaction.rolledBack();
            throw e;
        }
    }
}
