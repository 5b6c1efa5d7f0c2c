package dev.fbf.db;

import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Refusal;
import dev.fbf.core.guard.WitnessedDatabase;
import dev.fbf.core.guard.WitnessedTransaction;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The witness's row of the transaction's slot: it has this transaction's token if, and only if, it committed. */
final class WitnessProof implements Proof {

    private final WitnessedDatabase database;
    private final WitnessTable table;

    private @Nullable WitnessedTransaction transaction;
    private @Nullable TransactionConnection connection;
    private @Nullable Prelude prelude;

    /** Or about to be, with the next SQL. */
    private boolean turned;

    /** How many operations had been entered when the row was turned. */
    private int sizeWhenTurned;

    private boolean doubted;

    WitnessProof(WitnessedDatabase database, WitnessTable table) {
        this.database = database;
        this.table = table;
    }

    @Override
    public @Nullable Refusal enter(
            Claim claim, @Nullable Long fingerprint, TransactionConnection itsConnection, Scope scope)
            throws SQLException {
        int before = size();
        if (transaction == null) {
            transaction = database.transaction(claim);
            transaction.startForce();
        } else {
            transaction.add(claim);
        }
        if (!turned) {
            if (!turn(itsConnection, transaction)) {
                transaction.mismatched();
                transaction = null;
                return Refusal.RECOVERING;
            }
            turned = true;
            sizeWhenTurned = before;
        }
        return null;
    }

    private boolean turn(TransactionConnection itsConnection, WitnessedTransaction claimed) throws SQLException {
        connection = itsConnection;
        if (!itsConnection.takesPreludes()) {
            return table.turn(itsConnection.connection(), claimed.slot(), claimed.previous(), claimed.next());
        }
        prelude = table.prelude(claimed.slot(), claimed.previous(), claimed.next());
        itsConnection.add(prelude);
        return true;
    }

    @Override
    public @Nullable Refusal failedEntry(Claim claim, Duration timeout) {
        return isMismatched() ? Refusal.RECOVERING : null;
    }

    /** Whether the row turned out to have another token than it should. */
    private boolean isMismatched() {
        return prelude != null && prelude.isRefused();
    }

    @Override
    public int size() {
        return transaction == null ? 0 : transaction.size();
    }

    @Override
    public boolean withdraw(Claim claim) {
        if (transaction == null || transaction.size() != 1 || connection == null || !connection.isWaiting()) {
            return false;
        }
        connection.drop();
        transaction.withdraw();
        transaction = null;
        prelude = null;
        turned = false;
        return true;
    }

    @Override
    public void undoAfter(int count) {
        if (transaction != null) {
            transaction.undoAfter(count);
            // the row was turned for the operation after those, so that its turn is undone with that
            turned &= count > sizeWhenTurned;
            if (!turned && connection != null) {
                connection.drop();
            }
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
            if (isMismatched()) {
                transaction.mismatched();
            } else {
                transaction.rolledBack();
            }
        }
    }

    @Override
    public void inDoubt() {
        if (isMismatched()) {
            rolledBack(); // no COMMIT is sent for it
        } else if (transaction != null) {
            doubted = true;
            transaction.inDoubt();
        }
    }

    @Override
    public @Nullable Refusal settle(Claim claim, Duration timeout) {
        return doubted && transaction != null ? WitnessArbiter.settle(transaction, timeout) : null;
    }
}
