package dev.fbf.core.guard;

import dev.fbf.core.OperationId;
import dev.fbf.core.guard.ClaimRecords.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A transaction that applies operations, and whose outcome can be learnt from the witness: from the token that the row
 * of its slot has. It turns that row from {@link #previous()} to {@link #next()} before anything else it does.
 *
 * <p>Its claims follow its outcome. Thread-safe.
 */
public final class WitnessedTransaction {

    /*
     * OPEN -> COMMITTED | ROLLED_BACK | IN_DOUBT
     * OPEN -> ROLLED_BACK without its claims, which then begin another one, perhaps in the same slot
     * IN_DOUBT -> COMMITTED | ROLLED_BACK, when the witness was asked or an operator has decided
     *
     * The records of the claims are in the file before the witness's row is turned, so that a process that finds them
     * can ask. They are freed when the filter holds their operations; that of the slot last, since whoever takes the
     * slot next turns its row away from the token that the others' answer hangs on.
     *
     * When the row had another token than it should, or an operator has decided in the witness's stead, the claims are
     * freed but the slot is not: its transaction stays in doubt, without operations, until its row was read.
     *
     * While it is OPEN its claims are inside the gate, and the directory stays this node's. In doubt they are not: only a
     * thread that settles it writes for it, and enters the gate to do so. Once the gate is closed the records stay as they
     * are, and the next node settles them with the same fence, as after this process's death. The COMMIT may arrive before that or
     * never, and this process may still ask: the witness tells both the same.
     */
    private enum State {
        OPEN,
        IN_DOUBT,
        COMMITTED,
        ROLLED_BACK
    }

    private final WitnessedDatabase database;
    private final Claims claims;
    private final Safekeeping safekeeping;
    private final int slot;
    private final long previous;
    private final long next;
    private final Instant since;
    private final boolean recovered;
    private final List<HeldClaim> mine = new ArrayList<>();
    private final CountDownLatch settled = new CountDownLatch(1);

    private State state = State.OPEN;
    private long doubtedAt;
    private boolean asked;
    private boolean decided;
    private boolean committed;

    /** Whether the log may say that it was about to commit, so that it must say how it ended. */
    private volatile boolean begun;

    WitnessedTransaction(
            WitnessedDatabase database,
            Claims claims,
            Safekeeping safekeeping,
            int slot,
            long previous,
            long next,
            Instant since,
            boolean recovered) {
        this.database = database;
        this.claims = claims;
        this.safekeeping = safekeeping;
        this.slot = slot;
        this.previous = previous;
        this.next = next;
        this.since = since;
        this.recovered = recovered;
        begun = recovered;
    }

    /**
     * Returns the number of the witness's row.
     *
     * @return the slot, 0 or more
     */
    public int slot() {
        return slot;
    }

    /**
     * Returns the token that the row has before this transaction.
     *
     * @return the token; {@link WitnessedDatabase#NO_TOKEN} if none has committed in the slot yet
     */
    public long previous() {
        return previous;
    }

    /**
     * Returns the token that the row has once this transaction has committed.
     *
     * @return the token
     */
    public long next() {
        return next;
    }

    /**
     * Tells when it began.
     *
     * @return when its first claim was written down
     */
    public Instant since() {
        return since;
    }

    /**
     * Tells whose transaction it was.
     *
     * @return whether the process before this one left it behind
     */
    public boolean isLeftBehind() {
        return recovered;
    }

    /**
     * Returns the operations that are applied if it commits.
     *
     * @return their ids, in the order in which they were added
     */
    public synchronized List<OperationId> operations() {
        return mine.stream()
                .filter(claim -> !claim.isUndone())
                .map(HeldClaim::id)
                .toList();
    }

    /**
     * Makes a claim part of this transaction. Once this returns, the process that comes after this one knows of it.
     *
     * @param claim a claim that has not ended
     */
    public synchronized void add(Claim claim) {
        requireState(State.OPEN);
        HeldClaim held = (HeldClaim) claim;
        held.handOver();
        claims.write(held, database.number(), slot, previous, next);
        mine.add(held);
    }

    /**
     * Takes back the latest claims, because the transaction went back to a savepoint and goes on. They are freed at its
     * end: until then, whoever retries them is told that they are in progress.
     *
     * @param count how many claims had been added at the savepoint
     */
    public synchronized void undoAfter(int count) {
        requireState(State.OPEN);
        mine.subList(Math.min(count, mine.size()), mine.size()).stream()
                .filter(claim -> !claim.isUndone())
                .forEach(claims::undo);
    }

    /**
     * Returns how many claims were added.
     *
     * @return the number, including those taken back
     */
    public synchronized int size() {
        return mine.size();
    }

    /** Prepares for COMMIT: from here on, the claims survive what the node's {@link Durability} promises. */
    public void beforeCommit() {
        safekeeping.beforeCommit(logged());
        begun = true;
    }

    private synchronized List<Entry> logged() {
        return mine.stream()
                .filter(claim -> !claim.isUndone())
                .map(claim -> claims.logged(claim, database.number(), slot, previous, next))
                .toList();
    }

    /** COMMIT is known: the filters remember the operations, and only then the claims are freed. */
    public void committed() {
        leaveOpen(() -> endAsCommitted(next));
    }

    /** The transaction surely did not commit and never will: its operations are new again. */
    public void rolledBack() {
        leaveOpen(() -> end(State.ROLLED_BACK, previous));
    }

    /**
     * The transaction surely did not commit and never will, and its claims are to be part of another one: they are held
     * again. Nothing of it may have been taken back.
     *
     * @return the claims, in the order in which they were added; the caller ends them, or makes them part of another
     *     transaction
     */
    public synchronized List<Claim> withdraw() {
        requireState(State.OPEN);
        state = State.ROLLED_BACK;
        ended(false);
        mine.forEach(claims::withdraw);
        List<Claim> withdrawn = List.copyOf(mine);
        mine.clear();
        return withdrawn;
    }

    /** Nobody knows whether it committed: its operations are neither repeated nor called applied until that is settled. */
    public void inDoubt() {
        leaveOpen(() -> {
            try {
                // the fence will turn the row away from the token of the transaction before, whose end may not be there
                safekeeping.force();
            } finally {
                doubt();
            }
        });
    }

    /**
     * The row had another token than {@link #previous()}, so that nothing was done and the transaction is rolled back.
     * Its operations are new again; the slot stays out of use until its row was read.
     */
    public void mismatched() {
        leaveOpen(() -> {
            state = State.IN_DOUBT;
            ended(false);
            releaseAll();
            database.add(this);
        });
    }

    /** Leaves the gate with all claims when it is no longer open; outside the monitor, which what closes then may need. */
    private void leaveOpen(Runnable change) {
        int leaving = 0;
        try {
            synchronized (this) {
                requireState(State.OPEN);
                int claimed = mine.size();
                try {
                    change.run();
                } finally {
                    leaving = state == State.OPEN ? 0 : claimed;
                }
            }
        } finally {
            claims.gate().leave(leaving);
        }
    }

    /** Does so unless this node's directory may be another's by now. */
    private boolean ifInside(BooleanSupplier change) {
        if (!claims.gate().enter()) {
            return false;
        }
        try {
            synchronized (this) {
                return change.getAsBoolean();
            }
        } finally {
            claims.gate().leave(1);
        }
    }

    /**
     * The witness has told.
     *
     * @param committed whether the transaction did commit
     * @param token the token that the row has now
     * @return whether that ended it: it may have been ended by another thread, be waiting for a scope to be opened, or be
     *     left to the next node of a directory that was closed
     */
    public boolean settled(boolean committed, long token) {
        return ifInside(() -> settle(committed, token));
    }

    private boolean settle(boolean committed, long token) {
        if (state != State.IN_DOUBT || !scopesAreKnown()) {
            return false;
        }
        askedAbout();
        boolean hadOperations = !mine.isEmpty();
        if (committed) {
            endAsCommitted(token);
        } else {
            end(State.ROLLED_BACK, token);
        }
        if (hadOperations) {
            // last: what listeners look at is as it will be
            database.settled(Duration.ofNanos(System.nanoTime() - doubtedAt));
        }
        return true;
    }

    /**
     * The witness cannot tell: the row has a token that it should not have. The operations stay in doubt until an
     * operator decides. If there are none, the slot is used again, from that token on.
     *
     * @param token the token that the row has now
     * @return whether that ended it
     */
    public boolean unknown(long token) {
        return ifInside(() -> cannotBeSettled(token));
    }

    private boolean cannotBeSettled(long token) {
        askedAbout();
        if (state != State.IN_DOUBT || !mine.isEmpty()) {
            return false;
        }
        end(State.ROLLED_BACK, token);
        return true;
    }

    /**
     * An operator has decided, because the witness cannot tell. The slot is used again once its row was read.
     *
     * @param committed whether the operations were applied
     * @return whether that settled it: it may have been settled meanwhile, be waiting for a scope to be opened, or be left
     *     to the next node of a directory that was closed
     */
    public boolean decide(boolean committed) {
        return ifInside(() -> decideInStead(committed));
    }

    private boolean decideInStead(boolean committed) {
        if (state != State.IN_DOUBT || decided || mine.isEmpty() || !scopesAreKnown()) {
            return false;
        }
        askedAbout();
        decided = true;
        if (committed) {
            this.committed = true;
            remember();
        }
        ended(committed);
        releaseAll();
        settled.countDown();
        database.add(this); // its slot lacks nothing but its token now
        return true;
    }

    /**
     * Waits until it is no longer in doubt.
     *
     * @param timeout for how long at most
     * @return whether it is settled
     */
    public boolean awaitSettled(Duration timeout) {
        try {
            return settled.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Tells whether it committed.
     *
     * @return true once that is known; false if it did not, or nobody knows yet
     */
    public synchronized boolean isCommitted() {
        return committed;
    }

    /** Takes over what the process before this one left behind. */
    synchronized void recover(List<HeldClaim> left) {
        mine.addAll(left);
        scopes().forEach(scope -> claims.leftBehind(scope).incrementAndGet());
        doubt();
    }

    synchronized boolean isSettleable() {
        return scopesAreKnown();
    }

    /** Whether it was left behind and can be settled, and nobody has asked the witness about it yet. */
    synchronized boolean isToBeRecovered() {
        return recovered && !asked && scopesAreKnown();
    }

    private void doubt() {
        state = State.IN_DOUBT;
        doubtedAt = System.nanoTime();
        mine.forEach(claim -> claim.doubt(this));
        database.add(this);
    }

    private void endAsCommitted(long token) {
        remember();
        committed = true;
        end(State.COMMITTED, token);
    }

    private void remember() {
        mine.stream().filter(claim -> !claim.isUndone()).forEach(claims::remember);
    }

    private void end(State end, long token) {
        state = end;
        ended(end == State.COMMITTED);
        releaseAll();
        database.freed(this, token);
        claims.give(slot);
        settled.countDown();
    }

    /** One without claims has ended before. */
    private void ended(boolean asCommitted) {
        if (begun && !mine.isEmpty()) {
            safekeeping.ended(database.number(), slot, next, asCommitted);
        }
    }

    /** Frees the claims, but not the place that is the slot. */
    private void releaseAll() {
        for (HeldClaim claim : mine) {
            if (claim.place() != slot) {
                claims.free(claim);
            }
        }
        for (HeldClaim claim : mine) {
            if (claim.place() == slot) {
                claims.release(claim);
            }
        }
        mine.clear();
    }

    private void askedAbout() {
        if (recovered && !asked) {
            asked = true;
            scopes().forEach(scope -> claims.leftBehind(scope).decrementAndGet());
        }
    }

    private Set<Integer> scopes() {
        Set<Integer> scopes = new HashSet<>();
        mine.forEach(claim -> scopes.add(claim.scope()));
        return scopes;
    }

    private boolean scopesAreKnown() {
        return mine.stream().allMatch(claim -> claims.knows(claim.scope()));
    }

    private void requireState(State expected) {
        if (state != expected) {
            throw new IllegalStateException("slot=" + slot + ": its transaction is " + state + ", not " + expected);
        }
    }
}
