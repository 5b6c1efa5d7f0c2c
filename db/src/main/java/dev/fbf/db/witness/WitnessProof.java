package dev.fbf.db.witness;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.claim.WitnessedDatabase;
import dev.fbf.core.claim.WitnessedTransaction;
import dev.fbf.db.Proof;
import dev.fbf.db.connection.Prelude;
import dev.fbf.db.connection.TransactionConnection;
import dev.fbf.db.witness.WitnessTable.Turn;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The witness's row of the transaction's slot: it has this transaction's token if, and only if, it committed. */
final class WitnessProof implements Proof {

    /*
     * Where the row is updated together with the first SQL, nothing is written for the claims before that: no record, and no token.
     * The records are in the file before the turn is sent, for the turn's parameters are asked for when it is bound to a statement,
     * and those are the transaction's.
     */
    private final WitnessedDatabase database;
    private final WitnessTable table;
    private final List<Claim> waiting = new ArrayList<>();

    /** Null before the row is turned for the first time. */
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
            waiting.add(claim);
        } else {
            transaction.add(claim);
        }
        if (!turned) {
            if (!turn(itsConnection, scope == Scope.CALLERS)) {
                begun().mismatched();
                transaction = null;
                return Refusal.RECOVERING;
            }
            turned = true;
            sizeWhenTurned = before;
        }
        return null;
    }

    private boolean turn(TransactionConnection itsConnection, boolean mayBeOld) throws SQLException {
        connection = itsConnection;
        if (itsConnection.takesPreludes()) {
            prelude = table.prelude(this::turn, mayBeOld);
            itsConnection.add(prelude);
            return true;
        }
        Turn turn = turn();
        return table.turn(itsConnection.connection(), turn.slot(), turn.previous(), turn.next());
    }

    private Turn turn() {
        WitnessedTransaction claimed = begun();
        return new Turn(claimed.slot(), claimed.previous(), claimed.next());
    }

    /** Hands the claims that wait to the transaction: from here on they survive this process. */
    private WitnessedTransaction begun() {
        WitnessedTransaction begun = transaction;
        boolean isNew = begun == null;
        if (begun == null) {
            begun = database.transaction(waiting.remove(0));
            transaction = begun;
        }
        waiting.forEach(begun::add);
        waiting.clear();
        if (isNew) {
            begun.startForce();
        }
        return begun;
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
        return transaction == null ? waiting.size() : transaction.size();
    }

    @Override
    public void undoAfter(int count) {
        if (transaction == null) {
            free(waiting.subList(Math.min(count, waiting.size()), waiting.size()));
        } else {
            transaction.undoAfter(count);
        }
        // the row was turned for the operation after those, so that its turn is undone with that
        turned &= count > sizeWhenTurned;
        if (!turned && connection != null) {
            connection.drop();
        }
    }

    /** Frees claims that nothing was sent for. */
    private static void free(List<Claim> claims) {
        claims.forEach(Claim::rolledBack);
        claims.clear();
    }

    @Override
    public void beforeCommit() {
        if (transaction != null) {
            transaction.beforeCommit();
        }
    }

    @Override
    public void committed() {
        free(waiting);
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
        free(waiting);
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
        if (transaction == null || isMismatched()) {
            rolledBack(); // no COMMIT is sent for it
        } else {
            doubted = true;
            transaction.inDoubt();
        }
    }

    @Override
    public @Nullable Refusal settle(Claim claim, Duration timeout) {
        return doubted && transaction != null ? WitnessArbiter.settle(transaction, timeout) : null;
    }
}
