package dev.fbf.db.ledger;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.Scope;
import dev.fbf.db.OperationTransaction.State;
import dev.fbf.db.connection.Prelude;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.connection.TransactionConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Operations with a row each in the ledger. Its key is unique, so that a retry decides what is in doubt. */
final class LedgerEntries implements OperationTransaction.Entries {

    /*
     * No transaction has to be settled here. If a COMMIT in doubt takes effect, now or later, the retry finds the row; if
     * the retry comes first, the late transaction cannot insert its own row. So claims are freed whatever the outcome.
     */
    private final LedgerArbiter ledger;
    private final List<Claim> claims = new ArrayList<>();

    /** The last operation that was entered together with the caller's first statement. */
    private @Nullable Together together;

    private record Together(Claim claim, Prelude prelude) {}

    LedgerEntries(LedgerArbiter ledger) {
        this.ledger = ledger;
    }

    @Override
    public @Nullable Refusal enter(
            Claim claim, @Nullable Long fingerprint, TransactionConnection connection, Scope scope)
            throws SQLException {
        if (scope == Scope.CALL_WITHOUT_TRACE && connection.takesPreludes()) {
            enterTogether(claim, fingerprint, connection);
            return null;
        }
        connection.flush();
        Refusal refusal = insert(claim, fingerprint, connection, scope);
        if (refusal == null) {
            claims.add(claim);
        } else if (refusal == Refusal.APPLIED) {
            claim.applied(); // by another process: this one's filter did not have it
        }
        return refusal;
    }

    private @Nullable Refusal insert(
            Claim claim, @Nullable Long fingerprint, TransactionConnection connection, Scope scope)
            throws SQLException {
        try {
            return ledger.insert(connection.connection(), claim, fingerprint);
        } catch (SQLException e) {
            if (scope != Scope.CALLERS && SqlFailures.isOfOthers(e)) {
                return Refusal.IN_PROGRESS; // its transaction has ended meanwhile, and this one has nothing to lose
            }
            throw e;
        }
    }

    /** If the operation is not new, the caller's first statement fails, and the transaction with it. That is rare. */
    private void enterTogether(Claim claim, @Nullable Long fingerprint, TransactionConnection connection)
            throws SQLException {
        Prelude prelude = ledger.prelude(connection.connection(), claim, fingerprint);
        together = new Together(claim, prelude);
        connection.add(prelude);
        claims.add(claim);
    }

    /** Another transaction has entered the operation, and may have rolled back since: then the retry finds it new. */
    @Override
    public @Nullable Refusal failedEntry(Claim claim, Duration timeout) {
        if (claim != refused()) {
            return null;
        }
        if (ledger.contains(claim.id(), timeout)) {
            claim.applied();
            return Refusal.APPLIED;
        }
        claim.rolledBack();
        return Refusal.IN_PROGRESS;
    }

    /** The claim of the operation that turned out not to be new; null if all were. */
    private @Nullable Claim refused() {
        return together != null && together.prelude.isRefused() ? together.claim : null;
    }

    @Override
    public int size() {
        return claims.size();
    }

    @Override
    public boolean undoAfter(int count) {
        List<Claim> latest = claims.subList(Math.min(count, claims.size()), claims.size());
        latest.forEach(Claim::rolledBack); // their rows never commit
        latest.clear();
        return claims.isEmpty(); // a prelude that waits still is that of the first claim
    }

    @Override
    public void ended(State end) {
        if (end == State.COMMITTED) {
            claims.forEach(Claim::applied);
        } else {
            claims.remove(refused()); // it is decided on when that is looked up
            claims.forEach(Claim::rolledBack);
        }
    }

    @Override
    public @Nullable Refusal settle(Claim claim, Duration timeout) {
        return claims.contains(claim) ? ledger.settle(claim.id(), timeout) : null;
    }
}
