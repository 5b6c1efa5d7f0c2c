package dev.fbf.db.witness;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.Entering;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.db.OperationTransaction.State;
import dev.fbf.db.connection.Prelude;
import dev.fbf.db.connection.TransactionConnection;
import dev.fbf.db.witness.WitnessTable.Turn;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Operations of one transaction, which share a slot's row in the witness. The row has the transaction's token if, and only if, the
 * transaction committed.
 */
final class WitnessEntries implements OperationTransaction.Entries {

    /*
     * If the update of the row is sent together with the first SQL, nothing is written for the claims before that: neither a record nor a
     * token. Binding the update's parameters begins the transaction, so the records are in the file before the update is sent.
     */
    private static final int NOT_TURNED = -1;

    private final WitnessedDatabase database;
    private final WitnessTable table;
    private final List<Claim> waiting = new ArrayList<>();

    /** Null before the first update of the row. */
    private @Nullable WitnessedTransaction transaction;

    private @Nullable Prelude prelude;

    /** The number of operations that were entered before the row's update was sent, or added to the next SQL. */
    private int turnedAfter = NOT_TURNED;

    WitnessEntries(WitnessedDatabase database, WitnessTable table) {
        this.database = database;
        this.table = table;
    }

    @Override
    public Map<Claim, Refusal> enter(List<Entering> operations, TransactionConnection connection, LostWork lost)
            throws SQLException {
        Map<Claim, Refusal> refused = new HashMap<>();
        for (Entering operation : operations) {
            Refusal refusal = enter(operation.claim(), connection, lost);
            if (refusal != null) {
                refused.put(operation.claim(), refusal);
            }
        }
        return refused;
    }

    private @Nullable Refusal enter(Claim claim, TransactionConnection connection, LostWork lost) throws SQLException {
        int before = size();
        if (transaction == null) {
            waiting.add(claim);
        } else {
            transaction.add(claim);
        }
        if (turnedAfter == NOT_TURNED) {
            if (!turnRow(connection, lost == LostWork.CALLERS)) {
                begin().mismatched();
                transaction = null;
                return Refusal.RECOVERING;
            }
            turnedAfter = before;
        }
        return null;
    }

    private boolean turnRow(TransactionConnection connection, boolean mayBeOld) throws SQLException {
        if (connection.takesPreludes()) {
            prelude = table.prelude(this::nextTurn, mayBeOld);
            connection.add(prelude);
            return true;
        }
        Turn turn = nextTurn();
        return table.turn(connection.connection(), turn.slot(), turn.previous(), turn.next());
    }

    private Turn nextTurn() {
        WitnessedTransaction claimed = begin();
        return new Turn(claimed.slot(), claimed.previous(), claimed.next());
    }

    /** Moves the waiting claims into the transaction, so that they survive this process. */
    private WitnessedTransaction begin() {
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

    /** Returns whether the row has an unexpected token. */
    private boolean isMismatched() {
        return prelude != null && prelude.isRefused();
    }

    @Override
    public int size() {
        return transaction == null ? waiting.size() : transaction.size();
    }

    @Override
    public boolean undoAfter(int count) {
        if (transaction == null) {
            free(waiting.subList(Math.min(count, waiting.size()), waiting.size()));
        } else {
            transaction.undoAfter(count);
        }
        if (count <= turnedAfter) {
            turnedAfter = NOT_TURNED; // the savepoint also undoes the row's update
        }
        return turnedAfter == NOT_TURNED;
    }

    /** Frees claims without any SQL sent. */
    private static void free(List<Claim> claims) {
        claims.forEach(Claim::free);
        claims.clear();
    }

    @Override
    public State prepare(TransactionConnection connection) {
        if (transaction != null) {
            transaction.beforeCommit();
        }
        return State.COMMITTING;
    }

    @Override
    public void ended(State end) {
        free(waiting);
        if (transaction == null) {
            return;
        }
        if (end == State.COMMITTED && turnedAfter != NOT_TURNED) {
            transaction.committed();
        } else if (end != State.COMMITTED && isMismatched()) {
            transaction.mismatched(); // no COMMIT was sent
        } else if (end == State.IN_DOUBT) {
            transaction.inDoubt();
        } else {
            transaction.rolledBack();
        }
    }

    @Override
    public @Nullable Refusal awaitSettled(Claim claim, Throwable failure, Duration timeout) {
        return transaction != null && !isMismatched() ? WitnessStore.awaitSettled(transaction, timeout) : null;
    }
}
