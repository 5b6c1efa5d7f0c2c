package dev.fbf.db.ledger;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.db.OperationTransaction.State;
import dev.fbf.db.connection.Prelude;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.connection.TransactionConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Operations of a transaction, each with a row in the ledger. The unique key lets a retry resolve an outcome in doubt. */
final class LedgerEntries implements OperationTransaction.Entries {

    /*
     * A transaction in doubt needs no settlement, so claims are freed for every outcome. Once its COMMIT has taken effect, a retry finds
     * the row. Until the transaction has ended, its advisory lock refuses the retry, or the retry waits for its row.
     */
    private final LedgerArbiter arbiter;
    private final LedgerTable table;
    private final List<Claim> claims = new ArrayList<>();

    /** Claims of operations that were entered without an advisory lock. */
    private final Set<Claim> unlocked = new HashSet<>();

    /** The last operation that was entered together with the caller's first statement. */
    private @Nullable Together together;

    private record Together(Claim claim, Prelude prelude) {}

    /** The last operation that another transaction seemed to be entering. */
    private @Nullable Claim inProgress;

    LedgerEntries(LedgerArbiter arbiter, LedgerTable table) {
        this.arbiter = arbiter;
        this.table = table;
    }

    @Override
    public @Nullable Refusal enter(
            Claim claim, @Nullable Long fingerprint, TransactionConnection connection, LostWork lost)
            throws SQLException {
        if (lost == LostWork.CALL_WITHOUT_TRACE && connection.takesPreludes()) {
            enterTogether(claim, fingerprint, connection);
            return null;
        }
        connection.flush();
        Refusal refusal = insert(claim, fingerprint, connection, lost);
        if (refusal == null) {
            claims.add(claim);
        } else if (refusal == Refusal.APPLIED) {
            claim.applied(); // add it to this process's filter
        } else {
            inProgress = claim;
        }
        return refusal;
    }

    @Override
    public Map<Claim, Refusal> enterAll(Collection<Claim> all, TransactionConnection connection, LostWork lost)
            throws SQLException {
        connection.flush();
        Map<UUID, Claim> byId = new LinkedHashMap<>();
        Duration retention = Duration.ZERO;
        for (Claim claim : all) {
            byId.put(claim.id().toUuid(), claim);
            retention = claim.retryWindow(); // the same for all, which are of one scope
        }
        Set<UUID> entered = table.insertAll(connection.connection(), byId.keySet(), retention);
        List<UUID> others =
                byId.keySet().stream().filter(id -> !entered.contains(id)).toList();
        Set<UUID> applied = others.isEmpty() ? Set.of() : table.containedOf(connection.connection(), others);
        Map<Claim, Refusal> refused = new HashMap<>();
        byId.forEach((id, claim) -> {
            if (entered.contains(id)) {
                claims.add(claim);
                unlocked.add(claim);
            } else if (applied.contains(id)) {
                claim.applied();
                refused.put(claim, Refusal.APPLIED);
            } else {
                refused.put(claim, Refusal.IN_PROGRESS);
            }
        });
        return refused;
    }

    private @Nullable Refusal insert(
            Claim claim, @Nullable Long fingerprint, TransactionConnection connection, LostWork lost)
            throws SQLException {
        try {
            return table.insert(connection.connection(), claim.id().toUuid(), fingerprint, claim.retryWindow());
        } catch (SQLException e) {
            if (lost != LostWork.CALLERS && SqlFailures.isOfOthers(e)) {
                // the other transaction has ended; this one can roll back, as it has no changes to lose
                return Refusal.IN_PROGRESS;
            }
            throw e;
        }
    }

    /**
     * Enters the operation together with the caller's first statement. For a duplicate, which is rare, the statement and
     * its transaction fail.
     */
    private void enterTogether(Claim claim, @Nullable Long fingerprint, TransactionConnection connection)
            throws SQLException {
        Prelude prelude = table.prelude(connection.connection(), claim.id().toUuid(), fingerprint, claim.retryWindow());
        together = new Together(claim, prelude);
        connection.add(prelude);
        claims.add(claim);
    }

    /**
     * Returns the refusal for an operation that another transaction has entered; null for other operations. That transaction may have
     * rolled back since; then a retry finds the operation new.
     */
    @Override
    public @Nullable Refusal failedEntry(Claim claim, Duration timeout) {
        if (claim != refused()) {
            return null;
        }
        if (arbiter.wasApplied(claim.id(), timeout)) {
            claim.applied();
            return Refusal.APPLIED;
        }
        claim.free();
        return Refusal.IN_PROGRESS;
    }

    /** Returns the claim of the operation that another transaction has entered; null if there is none. */
    private @Nullable Claim refused() {
        return together != null && together.prelude.isRefused() ? together.claim : inProgress;
    }

    @Override
    public int size() {
        return claims.size();
    }

    @Override
    public boolean undoAfter(int count) {
        List<Claim> latest = claims.subList(Math.min(count, claims.size()), claims.size());
        latest.forEach(Claim::free); // the savepoint undoes their rows
        latest.clear();
        return claims.isEmpty(); // a pending prelude belongs to the first claim
    }

    @Override
    public void ended(State end) {
        if (end == State.COMMITTED) {
            claims.forEach(Claim::applied);
        } else {
            claims.remove(refused()); // failedEntry looks this operation up and decides on it
            claims.forEach(Claim::free);
        }
    }

    @Override
    public @Nullable Refusal awaitSettled(Claim claim, Duration timeout) {
        if (!claims.contains(claim)) {
            return null;
        }
        Refusal settled = arbiter.awaitSettled(claim.id(), timeout);
        return settled == null && unlocked.contains(claim) ? Refusal.IN_DOUBT : settled; // no lock shows its end
    }
}
