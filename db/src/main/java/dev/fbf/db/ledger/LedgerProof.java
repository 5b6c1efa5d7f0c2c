package dev.fbf.db.ledger;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Proof;
import dev.fbf.db.connection.Prelude;
import dev.fbf.db.connection.TransactionConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operation's row in the ledger. Its key is unique, so that a retry decides what is in doubt. */
final class LedgerProof implements Proof {

    /*
     * Nothing is to be settled here: if a COMMIT in doubt took effect, be it now or later, the retry finds the row; if
     * the retry comes first, the late transaction cannot insert its own. So claims are freed whatever the outcome.
     */
    private final LedgerArbiter ledger;
    private final List<Claim> claims = new ArrayList<>();

    private @Nullable TransactionConnection connection;
    private @Nullable Prelude prelude;

    /** The claim of the prelude's operation. */
    private @Nullable Claim entering;

    private boolean doubted;

    LedgerProof(LedgerArbiter ledger) {
        this.ledger = ledger;
    }

    @Override
    public @Nullable Refusal enter(
            Claim claim, @Nullable Long fingerprint, TransactionConnection itsConnection, Scope scope)
            throws SQLException {
        connection = itsConnection;
        if (scope != Scope.CALLERS) {
            enterAlone(claim, fingerprint, itsConnection, scope);
            return null;
        }
        itsConnection.flush();
        Refusal refusal = ledger.insert(itsConnection.connection(), claim, fingerprint);
        if (refusal == null) {
            claims.add(claim);
        } else if (refusal == Refusal.APPLIED) {
            claim.applied(); // by another process: this one's filter did not have it
        }
        return refusal;
    }

    /** If the operation is not new, this fails, and the transaction with it: that costs less than to ask first. */
    private void enterAlone(Claim claim, @Nullable Long fingerprint, TransactionConnection itsConnection, Scope scope)
            throws SQLException {
        prelude = ledger.prelude(itsConnection.connection(), claim, fingerprint);
        entering = claim;
        if (scope == Scope.CALL_WITHOUT_TRACE && itsConnection.takesPreludes()) {
            itsConnection.add(prelude);
        } else {
            prelude.execute(itsConnection.connection());
        }
        claims.add(claim);
    }

    /** Another transaction has entered the operation, and may have rolled back since: then the retry finds it new. */
    @Override
    public @Nullable Refusal failedEntry(Claim claim, Duration timeout) {
        if (!isRefused() || claim != entering) {
            return null;
        }
        if (ledger.contains(claim.id(), timeout)) {
            claim.applied();
            return Refusal.APPLIED;
        }
        claim.rolledBack();
        return Refusal.IN_PROGRESS;
    }

    private boolean isRefused() {
        return prelude != null && prelude.isRefused();
    }

    @Override
    public int size() {
        return claims.size();
    }

    @Override
    public void undoAfter(int count) {
        List<Claim> latest = claims.subList(Math.min(count, claims.size()), claims.size());
        latest.forEach(Claim::rolledBack); // their rows never commit
        latest.clear();
        if (connection != null && claims.isEmpty()) {
            connection.drop(); // if it waits still, it is that of the first claim
        }
    }

    @Override
    public void beforeCommit() {
        // the ledger is all there is to keep
    }

    @Override
    public void committed() {
        claims.forEach(Claim::applied);
    }

    @Override
    public void rolledBack() {
        if (isRefused()) {
            claims.remove(entering); // it is decided on when that is looked up
        }
        claims.forEach(Claim::rolledBack);
    }

    @Override
    public void inDoubt() {
        doubted = true;
        rolledBack();
    }

    @Override
    public @Nullable Refusal settle(Claim claim, Duration timeout) {
        return doubted && claims.contains(claim) ? ledger.settle(claim.id(), timeout) : null;
    }
}
