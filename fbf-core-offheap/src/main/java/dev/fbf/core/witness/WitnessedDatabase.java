package dev.fbf.core.witness;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.witness.ClaimRecords.Applied;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A database in which a node applies operations, with a witness that records the outcome of the node's transactions. Thread-safe.
 */
public final class WitnessedDatabase {

    /** The token of a slot in which no transaction has committed yet. */
    public static final long NO_TOKEN = 0;

    private static final Logger log = LoggerFactory.getLogger(WitnessedDatabase.class);

    private final String name;

    /** Hash of the name, which files store. */
    final int hash;

    private final UUID witness;
    final RecordedClaims claims;
    final Safekeeping safekeeping;
    private final LongUnaryOperator newTokens;
    private final Runnable onBehind;

    /**
     * Tokens of the slots' rows, known for slots without an open or in-doubt transaction. A slot's token is written by the thread that
     * holds the slot, and by the thread that compares the rows with the tokens.
     */
    private final SlotTokens tokens;

    private volatile @Nullable LostCommits lost;

    private final Set<WitnessedTransaction> inDoubt = ConcurrentHashMap.newKeySet();

    private volatile boolean ready;
    private volatile Runnable listener = () -> {};
    private final List<Consumer<Duration>> settleListeners = new CopyOnWriteArrayList<>();

    /**
     * Creates a database.
     *
     * @param node the node's id
     * @param newTokens creates a token that is newer than the given one
     * @param onBehind runs when the directory is found to lack commits
     */
    WitnessedDatabase(
            String name,
            UUID node,
            RecordedClaims claims,
            Safekeeping safekeeping,
            SlotTokens tokens,
            LongUnaryOperator newTokens,
            Runnable onBehind) {
        this.name = name;
        hash = ClaimLayout.hash(name);
        witness = tokens.areNamedByNode() ? node : rowsOf(node, name);
        this.claims = claims;
        this.safekeeping = safekeeping;
        this.newTokens = newTokens;
        this.onBehind = onBehind;
        this.tokens = tokens;
        lost = tokens.lost();
    }

    /**
     * Compares the claims with the tokens, to detect a commit that only one of the two files has. Called after {@link #recover} and before
     * the first transaction.
     */
    void compareFiles() {
        Set<Integer> left = slotsInDoubt();
        for (Applied last : claims.lastIn(hash)) {
            long token = tokens.get(last.slot());
            if (left.contains(last.slot()) || token == last.next() || token == SlotTokens.UNKNOWN) {
                continue;
            }
            if (tokens.mayLag()) {
                claims.forgetApplied(last);
            } else {
                behind();
            }
        }
    }

    private void behind() {
        tokens.noteBehind(Instant.now());
        onBehind.run();
    }

    /** {@return whether the directory was found to lack commits within the given time before now} */
    boolean wasBehindWithin(Duration time) {
        return tokens.wasBehindWithin(time, Instant.now());
    }

    /** Forces a time stamp to the disk; fails if the disk has failed. */
    void noteAlive() {
        tokens.noteAlive(Instant.now());
    }

    /** Records an orderly shutdown of the process. */
    void close() {
        tokens.close(Instant.now());
    }

    /** {@return the ids of the processes that used this directory last; an older copy of it lacks some of them} */
    public Set<UUID> earlierRuns() {
        return tokens.earlierRuns();
    }

    /** Records the id of this process in the directory, before other processes can see the id. */
    public void run(UUID run) {
        claims.gate.ifOpen(() -> {
            tokens.run(run);
            return true;
        });
    }

    /**
     * Derives the key of the rows in the witness from the node's id and the database's name, so that two databases of one node never share
     * rows, even in the same server.
     */
    private static UUID rowsOf(UUID node, String name) {
        UUID hash = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new UUID(
                node.getMostSignificantBits(),
                node.getLeastSignificantBits() ^ hash.getMostSignificantBits() ^ hash.getLeastSignificantBits());
    }

    /** {@return the database's name within the node} */
    public String name() {
        return name;
    }

    /**
     * {@return the key of the rows in the witness, derived from the node's id and the database's name; the node's id itself while the
     * tokens are in format 1}
     */
    public UUID witness() {
        return witness;
    }

    /** {@return the number of slots, which is the number of the node's rows in the witness; slots are numbered from 0} */
    public int slots() {
        return tokens.capacity();
    }

    /** {@return whether transactions can begin: the tokens of the witness were read} */
    public boolean isReady() {
        return ready;
    }

    /**
     * Returns the slots without an open or in-doubt transaction whose rows differ from the token that this node left there: the database or
     * the directory has gone back in time.
     *
     * @param known the result of {@link #tokens()} before the rows were read
     * @param tokensBySlot rows of this node in the witness
     * @return the slots; empty if all rows are as expected
     */
    public Set<Integer> differing(Map<Integer, Long> known, Map<Integer, Long> tokensBySlot) {
        Set<Integer> differing = new TreeSet<>();
        known.forEach((slot, token) -> {
            // tokens are never reused, so an unchanged token means that no transaction has begun meanwhile
            Long row = tokensBySlot.get(slot);
            if (row != null && !row.equals(token) && tokens.get(slot) == token) {
                differing.add(slot);
            }
        });
        return differing;
    }

    /** {@return the expected tokens of the witness's rows, by slot, without slots in use} */
    public Map<Integer, Long> tokens() {
        Map<Integer, Long> known = new HashMap<>();
        Set<Integer> left = slotsInDoubt();
        for (int slot = 0; slot < tokens.capacity(); slot++) {
            long token = tokens.get(slot);
            if (token != SlotTokens.UNKNOWN && !left.contains(slot)) {
                known.put(slot, token);
            }
        }
        return known;
    }

    private Set<Integer> slotsInDoubt() {
        return inDoubt.stream().map(WitnessedTransaction::slot).collect(Collectors.toSet());
    }

    /**
     * Sets the slots' tokens, from which transactions begin. Later calls have no effect. A transaction that begins from an outdated token
     * detects that without harm.
     *
     * @param tokensBySlot all rows of this node in the witness
     */
    public void setTokens(Map<Integer, Long> tokensBySlot) {
        Set<Integer> left = slotsInDoubt();
        claims.gate.ifOpen(() -> {
            tokensBySlot.forEach((slot, token) -> {
                if (slot < tokens.capacity() && !ready && !left.contains(slot)) {
                    setToken(slot, token);
                    claims.forgetApplied(hash, slot, token);
                }
            });
            ready = true;
            return true;
        });
    }

    /** Side that has gone back in time. */
    public enum Older {
        /** The database has lost commits. */
        DATABASE,
        /** The node's directory: the filters may lack operations, so operations are held back for a window. */
        DIRECTORY
    }

    /**
     * Records that rows of the witness differ from the tokens that this node left there. The slots continue from the rows' current tokens.
     *
     * @param known the expected tokens, by slot
     * @param rows the current tokens of {@linkplain #differing the differing slots}
     * @return the sides that are older: neither, one, or both
     */
    public Set<Older> disagree(Map<Integer, Long> known, Map<Integer, Long> rows) {
        Set<Older> older = EnumSet.noneOf(Older.class);
        claims.gate.ifOpen(() -> {
            Set<Integer> lostIn = new TreeSet<>();
            rows.forEach((slot, row) -> {
                long token = known.getOrDefault(slot, SlotTokens.UNKNOWN);
                if (!Tokens.isNewer(row, token)) {
                    lostIn.add(slot);
                } else if (!tokens.mayLag(row)) {
                    older.add(Older.DIRECTORY);
                }
            });
            if (!lostIn.isEmpty()) {
                older.add(Older.DATABASE);
                tokens.lose(lostIn, Instant.now());
                lost = tokens.lost();
            }
            if (older.contains(Older.DIRECTORY)) {
                behind();
            }
            rows.forEach((slot, row) -> {
                tokens.compareAndSet(slot, known.getOrDefault(slot, SlotTokens.UNKNOWN), row);
                claims.forgetApplied(hash, slot, row);
            });
            return true;
        });
        return older;
    }

    /**
     * Ends a transaction in doubt whose row has a newer token: the transaction has ended, and the directory is a copy from before its end.
     * Its operations are held back with all others, and are new afterwards.
     *
     * @param row the row's current token
     * @return whether this call ended it; false if the row is not newer, a power failure explains the difference, or {@link
     *     WitnessedTransaction#settled} returns false
     */
    public boolean endIfBehind(WitnessedTransaction transaction, long row) {
        if (!Tokens.isNewer(row, transaction.next()) || tokens.mayLag(row)) {
            return false;
        }
        claims.gate.ifOpen(() -> {
            behind();
            return true;
        });
        return transaction.settled(false, row);
    }

    /**
     * {@return the commits that the database has lost, until an operator {@linkplain #acceptLostCommits accepts} the loss; null if there
     * are none} Survives a restart.
     */
    public @Nullable LostCommits lostCommits() {
        return lost;
    }

    /** Forgets the lost transactions after an operator has accepted them. */
    public void acceptLostCommits() {
        claims.gate.ifOpen(() -> {
            tokens.acceptLost();
            lost = null;
            return true;
        });
    }

    /**
     * Names the request of a claimed operation, which the scope's filter remembers if the operation is applied.
     *
     * @param request identifies the operation and the content of its request
     */
    public void requestedBy(Claim claim, OperationId request) {
        ((HeldClaim) claim).request = request;
    }

    /**
     * Begins a transaction: gives it a slot and writes the record of its first claim. The caller has a connection, and next updates the
     * witness's row.
     *
     * @param first a claim that is still held
     * @return the transaction, which the caller must end
     * @throws IllegalStateException if the witness's tokens were not read yet
     * @throws dev.fbf.core.StorageException if a file failed: the claim is held or has ended, and its operation must not be applied
     */
    public WitnessedTransaction transaction(Claim first) {
        if (!ready) {
            throw new IllegalStateException("database=" + name + ": the tokens of its witness were not read yet");
        }
        int slot = ((HeldClaim) first).recordIndex;
        long known = tokens.get(slot);
        long previous = known == SlotTokens.UNKNOWN ? NO_TOKEN : known; // a row that does not exist has no token
        WitnessedTransaction transaction =
                new WitnessedTransaction(this, slot, previous, newTokens.applyAsLong(previous), Instant.now(), false);
        setToken(slot, SlotTokens.UNKNOWN);
        transaction.add(first);
        return transaction;
    }

    /** Sets a slot's token. A file that lacks it would look like an older copy of the directory. */
    void setToken(int slot, long token) {
        try {
            tokens.set(slot, token);
        } catch (InternalError e) {
            throw claims.fail(e);
        }
    }

    /**
     * {@return the transactions to settle, as of now: those in doubt whose scopes are all open, and ended ones whose row must be read}
     */
    public Collection<WitnessedTransaction> settleable() {
        return inDoubt.stream().filter(WitnessedTransaction::isSettleable).toList();
    }

    /** {@return the number of transactions to settle, whether or not they are {@linkplain #settleable() settleable} yet} */
    public int inDoubt() {
        return inDoubt.size();
    }

    /**
     * {@return whether {@link #isReady()}, and each transaction that the previous process left in doubt is settled or requires an
     * operator's decision; transactions with claims of scopes that are not open yet do not count}
     */
    public boolean isRecovered() {
        return ready && inDoubt.stream().noneMatch(WitnessedTransaction::isToBeRecovered);
    }

    /**
     * Registers a listener for transactions that may have become {@linkplain #settleable() settleable}.
     *
     * @param listener replaces the previous one; runs on the thread that caused the event, and must be quick
     */
    public void onSettleable(Runnable listener) {
        this.listener = listener;
    }

    /**
     * Registers a listener for settlements of transactions in doubt, except by an operator.
     *
     * @param listener receives the time that the transaction was in doubt in this process, after the settlement is complete; must be quick;
     *     its exceptions are logged
     */
    public void onSettled(Consumer<Duration> listener) {
        settleListeners.add(listener);
    }

    void settled(Duration inDoubtFor) {
        for (Consumer<Duration> settleListener : settleListeners) {
            try {
                settleListener.accept(inDoubtFor);
            } catch (RuntimeException e) {
                log.atWarn().addKeyValue("database", name).log("A settlement listener failed: {}", e.toString());
            }
        }
    }

    /** Unmaps the file, once no transaction can begin or be settled. All tokens are unknown from then on. */
    void release() {
        tokens.release();
    }

    void add(WitnessedTransaction transaction) {
        inDoubt.add(transaction);
        listener.run();
    }

    /** Notifies the listener that transactions of an opened scope may have become settleable. */
    void scopeOpened() {
        listener.run();
    }

    void freed(WitnessedTransaction transaction, long token) {
        setToken(transaction.slot(), token);
        inDoubt.remove(transaction);
    }

    /** Takes over a transaction that the previous process left behind. */
    void recover(List<Entry> left) {
        Entry first = left.get(0);
        new WitnessedTransaction(
                        this,
                        first.slot(),
                        first.previous(),
                        first.next(),
                        Instant.ofEpochMilli(
                                left.stream().mapToLong(Entry::claimedAt).min().orElseThrow()),
                        true)
                .recover(left.stream().map(claims::recover).toList());
    }
}
