package dev.fbf.core.witness;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transaction that applies operations. The witness records its outcome, as a token in the row of its slot. The transaction updates that
 * row from {@link #previous()} to {@link #next()}, at any moment before its COMMIT.
 *
 * <p>Its claims follow its outcome. Thread-safe.
 */
public final class WitnessedTransaction {

    /*
     * OPEN      -> COMMITTED | ROLLED_BACK | IN_DOUBT
     *           -> WITHDRAWN, without its claims, which then begin another one, perhaps in the same slot
     *           -> ROLLED_BACK_UNREAD, if the row had an unexpected token
     * IN_DOUBT  -> COMMITTED | ROLLED_BACK, by the witness
     *           -> COMMITTED_UNREAD | ROLLED_BACK_UNREAD, by an operator
     * ..._UNREAD -> COMMITTED | ROLLED_BACK, once its row was read
     *
     * The records of the claims are in the file before COMMIT, so that the next process can query the witness. They are freed once the
     * filter has their operations, if they were applied. The record of the slot is freed last, because the next transaction in the slot
     * overwrites the token that decides on the others.
     *
     * UNREAD: the claims are free, but the slot stays taken until its row was read.
     *
     * A row that has neither token, nor the fence, shows that a side has gone back in time, though perhaps by less than a beat:
     *
     *   begun by this process     The row had the previous token, by a COMMIT of this process or when this one read it: the database was put
     *                             back. An exception is a process that has found its directory older: another one has used its slots.
     *   left by the previous one  The record may be older than the row, or the row than the record: hold back for a window, in which all
     *                             retries of its operations arrive. After it they are new.
     *
     * But a record that a power failure has brought back, long after its transaction had ended, is left to an operator.
     *
     * While it is OPEN its claims are inside the gate, so this node keeps the directory. In doubt they are outside: only a thread that
     * settles the transaction writes its records, and enters the gate for that. Once the gate is closed the records stay unchanged, and the
     * next node settles them with the same fence, as after this process's death. The same applies if a file failed to record the end: then
     * no operation is admitted and no slot is reused until the next start. The COMMIT may arrive before that or never, and this process may
     * still query the witness: both nodes get the same response.
     */
    private enum State {
        OPEN,
        WITHDRAWN,
        IN_DOUBT,
        COMMITTED_UNREAD,
        ROLLED_BACK_UNREAD,
        COMMITTED,
        ROLLED_BACK;

        boolean isCommitted() {
            return this == COMMITTED || this == COMMITTED_UNREAD;
        }

        boolean isUnsettled() {
            return this == IN_DOUBT || this == COMMITTED_UNREAD || this == ROLLED_BACK_UNREAD;
        }
    }

    private static final Logger log = LoggerFactory.getLogger(WitnessedTransaction.class);

    /** Stands for a token that was not read; rows never have it. */
    private static final long UNKNOWN = -1;

    private final WitnessedDatabase database;
    private final int slot;
    private final long previous;
    private final long next;
    private final Instant since;

    private final List<HeldClaim> mine = new ArrayList<>();

    /** The scopes of the claims that were freed before the row was read. */
    private final Set<ScopeClaims> freed = new HashSet<>();

    private final CountDownLatch settled = new CountDownLatch(1);

    private State state = State.OPEN;

    /** Whether the previous process left it behind. */
    private final boolean leftBehind;

    /** Whether it is settled, or known to require an operator's decision. */
    private boolean asked;

    WitnessedTransaction(
            WitnessedDatabase database, int slot, long previous, long next, Instant since, boolean leftBehind) {
        this.database = database;
        this.slot = slot;
        this.previous = previous;
        this.next = next;
        this.since = since;
        this.leftBehind = leftBehind;
    }

    /** {@return the slot, 0 or more: the number of the transaction's row in the witness} */
    public int slot() {
        return slot;
    }

    /**
     * {@return the token of the row before this transaction; {@link WitnessedDatabase#NO_TOKEN} if no transaction has committed in its
     * slot yet}
     */
    public long previous() {
        return previous;
    }

    public long next() {
        return next;
    }

    /** {@return the time at which the transaction's first record was written} */
    public Instant since() {
        return since;
    }

    public boolean isLeftBehind() {
        return leftBehind;
    }

    /** {@return the operations that COMMIT applies, in the order in which they were added} */
    public synchronized List<OperationId> operations() {
        return mine.stream().map(HeldClaim::id).toList();
    }

    /**
     * Adds a claim to this transaction. Once this returns, the claim survives this process.
     *
     * @param claim a claim that is still held
     * @throws StorageException if the claims file failed: the claim has ended, and its operation was not applied
     */
    public void add(Claim claim) {
        HeldClaim held = (HeldClaim) claim;
        try {
            synchronized (this) {
                requireState(State.OPEN);
                held.handOver();
                database.claims.write(
                        held,
                        new Entry(
                                held.recordIndex,
                                held.id,
                                held.scope,
                                database.hash,
                                slot,
                                previous,
                                next,
                                System.currentTimeMillis()));
                mine.add(held);
            }
        } catch (StorageException e) {
            database.claims.free(held);
            database.claims.gate.leave(1);
            throw e;
        }
    }

    public synchronized int size() {
        return mine.size();
    }

    /** Checks that the files still record claims; throws a {@link StorageException} otherwise: the transaction must not commit then. */
    public void beforeCommit() {
        database.claims.requireSound();
    }

    /** Ends a transaction that has committed: puts its operations in the filters, and then frees its claims. */
    public void committed() {
        leaveOpen(() -> end(State.COMMITTED, next));
    }

    /** Ends a transaction that did not and cannot commit: its operations are new again. */
    public void rolledBack() {
        leaveOpen(() -> end(State.ROLLED_BACK, previous));
    }

    /**
     * Ends a transaction that did not and cannot commit, and returns its claims, held again, for another one.
     *
     * @return the claims, in the order in which they were added; the caller ends them, or adds them to another transaction
     * @throws StorageException if a file failed: no operation is admitted until the next start, which settles the transaction
     */
    public synchronized List<Claim> withdraw() {
        requireState(State.OPEN);
        state = State.WITHDRAWN;
        mine.forEach(database.claims::withdraw);
        List<Claim> withdrawn = List.copyOf(mine);
        mine.clear();
        return withdrawn;
    }

    /**
     * Marks a transaction as in doubt after a COMMIT without a known outcome. Until it is settled, its operations are neither repeated nor
     * reported as applied.
     */
    public void inDoubt() {
        leaveOpen(this::markInDoubt);
    }

    /**
     * Ends a transaction that found another token than {@link #previous()} in the row, and so applies no operation. Its operations are new
     * again; the slot stays out of use until its row has been read.
     */
    public void mismatched() {
        leaveOpen(() -> {
            mine.forEach(claim -> freed.add(database.claims.scope(claim)));
            end(State.ROLLED_BACK_UNREAD, UNKNOWN);
        });
    }

    /** Changes the state from OPEN, then leaves the gate with all claims. Outside the monitor, because leaving may close the node. */
    private void leaveOpen(Runnable change) {
        int leaving = 0;
        try {
            synchronized (this) {
                requireState(State.OPEN);
                int claims = mine.size();
                try {
                    change.run();
                } finally {
                    leaving = state == State.OPEN ? 0 : claims;
                }
            }
        } finally {
            database.claims.gate.leave(leaving);
        }
    }

    /** Makes a change, unless the gate is closed and another node may own the directory. */
    private boolean ifInside(BooleanSupplier change) {
        if (!database.claims.gate.enter()) {
            return false;
        }
        try {
            synchronized (this) {
                return change.getAsBoolean();
            }
        } finally {
            database.claims.gate.leave(1);
        }
    }

    /**
     * Settles the transaction with the witness's response.
     *
     * @param committed whether the transaction committed
     * @param token the current token of the row
     * @return whether this call ended it; false if another thread has ended it, a scope is not open yet, a filter failed, or the directory
     *     is closed and left to the next node
     */
    public boolean settled(boolean committed, long token) {
        return ifInside(() -> {
            if (!state.isUnsettled() || !isSettleable()) {
                return false;
            }
            noteAsked();
            end(committed || state.isCommitted() ? State.COMMITTED : State.ROLLED_BACK, token);
            return !state.isUnsettled();
        });
    }

    /**
     * Records that the row has an unexpected token: the database or the directory has gone back in time, and the scopes wait for an operator
     * or are held back. A transaction without operations ends, and so does one that the previous process left. Another one stays in doubt
     * until an operator decides.
     *
     * @param token the current token of the row
     * @return whether this call ended it
     */
    public boolean unresolved(long token) {
        return ifInside(() -> {
            noteAsked();
            if (!state.isUnsettled() || !isSettleable()) {
                return false;
            }
            if (leftBehind && !mine.isEmpty()) {
                if (mine.stream().anyMatch(claim -> database.claims.scope(claim).mayLackAfterPowerFailure())) {
                    return false;
                }
                mine.forEach(claim -> database.claims.scope(claim).noteLacking());
            } else if (!leftBehind && !database.claims.behind) {
                mine.forEach(claim -> database.claims.scope(claim).noteLost());
                freed.forEach(ScopeClaims::noteLost);
            }
            if (!leftBehind && !mine.isEmpty()) {
                return false;
            }
            end(state.isCommitted() ? State.COMMITTED : State.ROLLED_BACK, token);
            return !state.isUnsettled();
        });
    }

    /**
     * Settles the transaction by an operator's decision, because the witness cannot. The slot is used again once its row was read.
     *
     * @param committed whether the operations were applied
     * @return whether this call settled it, as for {@link #settled}
     * @throws StorageException if a file failed: the transaction is still in doubt
     */
    public boolean decide(boolean committed) {
        return ifInside(() -> {
            if (state != State.IN_DOUBT || mine.isEmpty() || !isSettleable()) {
                return false;
            }
            noteAsked();
            end(committed ? State.COMMITTED_UNREAD : State.ROLLED_BACK_UNREAD, UNKNOWN);
            if (state == State.IN_DOUBT) {
                database.claims.requireSound();
            }
            return true;
        });
    }

    /** Waits at most for the timeout until the transaction is no longer in doubt, and returns whether it is settled. */
    public boolean awaitSettled(Duration timeout) {
        try {
            return settled.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** {@return whether the transaction is known to have committed; false if it did not, or the outcome is not known yet} */
    public synchronized boolean isCommitted() {
        return state.isCommitted();
    }

    /** Takes over the claims that the previous process left behind. */
    synchronized void recover(List<HeldClaim> left) {
        mine.addAll(left);
        scopes().forEach(scope -> database.claims.leftBehind(scope).incrementAndGet());
        markInDoubt();
    }

    synchronized boolean isSettleable() {
        return mine.stream().allMatch(claim -> database.claims.knows(claim.scope));
    }

    synchronized boolean isToBeRecovered() {
        return leftBehind && !asked && isSettleable();
    }

    private void markInDoubt() {
        state = State.IN_DOUBT;
        mine.forEach(claim -> claim.inDoubt = this);
        database.add(this);
    }

    /**
     * Ends the transaction: puts the operations in the filters if they were applied, and then frees the claims. If a file fails, the next
     * start finds the records and completes the end. The caller is not affected, because the outcome of its COMMIT or rollback is known.
     *
     * @param token the current token of the row; unknown if it was not read
     */
    private void end(State end, long token) {
        try {
            if (end.isCommitted()) {
                database.claims.remember(mine);
            }
            state = end;
            release(mine);
            if (token == UNKNOWN) {
                database.add(this); // until its row was read
            } else {
                database.freed(this, token);
                database.claims.giveBack(slot);
            }
        } catch (StorageException e) {
            log.debug("The next start ends the transaction in slot {}.", slot, e);
            if (state == State.OPEN) {
                markInDoubt();
            }
        } finally {
            if (state == end) {
                settled.countDown();
            }
        }
    }

    /** Frees claims of this transaction, the record of the slot last. Keeps the record index that is the slot. */
    private void release(List<HeldClaim> ended) {
        for (HeldClaim claim : ended) {
            if (claim.recordIndex != slot) {
                database.claims.release(claim);
                database.claims.giveBack(claim.recordIndex);
            }
        }
        ended.stream().filter(claim -> claim.recordIndex == slot).forEach(database.claims::release);
        ended.clear();
    }

    private void noteAsked() {
        if (leftBehind && !asked) {
            asked = true;
            scopes().forEach(scope -> database.claims.leftBehind(scope).decrementAndGet());
        }
    }

    private Set<Long> scopes() {
        return mine.stream().map(claim -> claim.scope).collect(Collectors.toSet());
    }

    private void requireState(State expected) {
        if (state != expected) {
            throw new IllegalStateException("slot=" + slot + ": its transaction is " + state + ", not " + expected);
        }
    }
}
