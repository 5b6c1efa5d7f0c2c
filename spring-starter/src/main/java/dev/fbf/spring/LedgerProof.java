package dev.fbf.spring;

import dev.fbf.core.guard.Claim;
import dev.fbf.db.LedgerEntry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The operation's row in the ledger. Its key is unique, so that a retry decides what is in doubt. */
final class LedgerProof implements Proof {

    /*
     * Nothing is to be settled here: if a COMMIT in doubt took effect, be it now or later, the retry finds the row; if
     * the retry comes first, the late transaction cannot insert its own. So claims are freed whatever the outcome.
     */
    private final LedgerArbiter ledger;
    private final List<Claim> claims = new ArrayList<>();
    private final List<Claim> undone = new ArrayList<>();

    private boolean doubted;

    LedgerProof(LedgerArbiter ledger) {
        this.ledger = ledger;
    }

    @Override
    public Entry enter(Claim claim, Connection connection) throws SQLException {
        LedgerEntry entry = ledger.insert(connection, claim.id());
        switch (entry) {
            case NEW -> {
                claims.add(claim);
                return Entry.NEW;
            }
            case DUPLICATE -> {
                claim.applied(); // by another process: this one's filter had not heard of it
                return Entry.DUPLICATE;
            }
            case IN_PROGRESS -> {
                return Entry.IN_PROGRESS;
            }
        }
        throw new AssertionError(entry);
    }

    @Override
    public int size() {
        return claims.size();
    }

    @Override
    public void undoAfter(int count) {
        List<Claim> latest = claims.subList(Math.min(count, claims.size()), claims.size());
        undone.addAll(latest);
        latest.clear();
    }

    @Override
    public void beforeCommit() {
        // the ledger is all there is to keep
    }

    @Override
    public void committed() {
        claims.forEach(Claim::applied);
        undone.forEach(Claim::rolledBack);
    }

    @Override
    public void rolledBack() {
        claims.forEach(Claim::rolledBack);
        undone.forEach(Claim::rolledBack);
    }

    @Override
    public void inDoubt() {
        doubted = true;
        rolledBack();
    }

    @Override
    public Outcome settle(Claim claim, Duration patience) {
        if (!doubted || !claims.contains(claim)) {
            return Outcome.NOT_IN_DOUBT;
        }
        return ledger.settleWithin(patience, claim.id());
    }
}
