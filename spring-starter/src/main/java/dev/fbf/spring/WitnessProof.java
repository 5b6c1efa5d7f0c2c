package dev.fbf.spring;

import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.WitnessedDatabase;
import dev.fbf.core.guard.WitnessedTransaction;
import dev.fbf.db.WitnessTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The witness's row of the transaction's slot: it has this transaction's token if, and only if, it committed. */
final class WitnessProof implements Proof {

    private final WitnessedDatabase database;
    private final WitnessTable table;

    private @Nullable WitnessedTransaction transaction;
    private boolean turned;

    /** How many operations had been entered when the row was turned. */
    private int sizeWhenTurned;

    private boolean doubted;

    WitnessProof(WitnessedDatabase database, WitnessTable table) {
        this.database = database;
        this.table = table;
    }

    @Override
    public Entry enter(Claim claim, Connection connection) throws SQLException {
        int before = size();
        if (transaction == null) {
            transaction = database.transaction(claim);
        } else {
            transaction.add(claim);
        }
        if (!turned) {
            if (!table.turn(connection, transaction.slot(), transaction.previous(), transaction.next())) {
                transaction.misplaced();
                transaction = null;
                return Entry.IMPOSSIBLE;
            }
            turned = true;
            sizeWhenTurned = before;
        }
        return Entry.NEW;
    }

    @Override
    public int size() {
        return transaction == null ? 0 : transaction.size();
    }

    @Override
    public void undoAfter(int count) {
        if (transaction != null) {
            transaction.undoAfter(count);
            // the row was turned for the operation after those, so that its turn is undone with that
            turned &= count > sizeWhenTurned;
        }
    }

    @Override
    public void beforeCommit() {
        if (transaction != null) {
            transaction.beforeCommit();
        }
    }

    @Override
    public void committed() {
        if (transaction == null) {
            return;
        }
        if (turned) {
            transaction.committed();
        } else {
            transaction.rolledBack();
        }
    }

    @Override
    public void rolledBack() {
        if (transaction != null) {
            transaction.rolledBack();
        }
    }

    @Override
    public void inDoubt() {
        if (transaction != null) {
            doubted = true;
            transaction.inDoubt();
        }
    }

    @Override
    public Outcome settle(Claim claim, Duration patience) {
        if (!doubted || transaction == null) {
            return Outcome.NOT_IN_DOUBT;
        }
        if (!transaction.awaitSettled(patience)) {
            return Outcome.UNKNOWN;
        }
        return transaction.isCommitted() ? Outcome.APPLIED : Outcome.NOT_APPLIED;
    }
}
