package dev.fbf.core.claim;

import dev.fbf.core.claim.ClaimRecords.Applied;
import dev.fbf.core.claim.ClaimRecords.Entry;
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
 * A database in which a node applies operations, with a witness that records the outcome of the node's transactions.
 * Thread-safe.
 */
public final class WitnessedDatabase {

    /** The token of a slot in which no transaction has committed yet. */
    public static final long NO_TOKEN = 0;

    private static final Logger log = LoggerFactory.getLogger(WitnessedDatabase.class);

    private final String name;
    private final UUID witness;
    final Claims claims;
    final Safekeeping safekeeping;
    private final LongUnaryOperator newTokens;
    private final Runnable onBehind;

    /**
     * The token that a slot's row surely has while no transaction is open or in doubt in the slot; else not known. Written by
     * the thread that holds the slot, or before any thread can; and where the database has forgotten it.
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
     * @param newTokens makes a token that is newer than another one
     * @param onBehind runs when the rows of the witness are found to be newer than what the directory knows
     */
    WitnessedDatabase(
            String name,
            UUID node,
            Claims claims,
            Safekeeping safekeeping,
            SlotTokens tokens,
            LongUnaryOperator newTokens,
            Runnable onBehind) {
        this.name = name;
        witness = tokens.areNamedByNode() ? node : rowsOf(node, name);
        this.claims = claims;
        this.safekeeping = safekeeping;
        this.newTokens = newTokens;
        this.onBehind = onBehind;
        this.tokens = tokens;
        lost = tokens.lost();
    }

    /**
     * Compares the claims with the tokens, to detect that one of the two files lacks a commit that the other has. Called after {@link
     * #recover} and before the first transaction.
     */
    void compareFiles() {
        Set<Integer> left = slotsInDoubt();
        for (Applied last : claims.lastIn(hash())) {
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

    /** {@return whether the rows were newer than the directory, less than so long ago} */
    boolean wasBehindWithin(Duration time) {
        return tokens.wasBehindWithin(time, Instant.now());
    }

    /** Forces a sign of life to the disk; fails if the disk does. */
    void noteAlive() {
        tokens.noteAlive(Instant.now());
    }

    /** Notes that the process ends properly. */
    void close() {
        tokens.close(Instant.now());
    }

    /** {@return the names of the processes that used this directory last: a copy of it does not have them all} */
    public Set<UUID> earlierRuns() {
        return tokens.earlierRuns();
    }

    /** Names the process that uses this directory, before others can see the name. */
    public void run(UUID run) {
        claims.gate().ifOpen(() -> {
            tokens.run(run);
            return true;
        });
    }

    /** Another half for each name, so that two of one node never share rows, though they work on one database. */
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

    /** {@return the name of the rows in the witness: the first half is that of the node's id, the second half the database's own} */
    public UUID witness() {
        return witness;
    }

    /** {@return the number of slots, and so of the node's rows in the witness; slots are numbered from 0} */
    public int slots() {
        return tokens.capacity();
    }

    /** {@return whether transactions can begin: the tokens of the witness were read} */
    public boolean isReady() {
        return ready;
    }

    /**
     * Returns the slots that the database has gone back in: in which no transaction is open or in doubt, and whose rows have
     * another token than this node has left there last.
     *
     * @param known what {@link #tokens()} returned before the rows were read
     * @param tokensBySlot rows of this node in the witness
     * @return the slots; none if the rows are what they should be
     */
    public Set<Integer> differing(Map<Integer, Long> known, Map<Integer, Long> tokensBySlot) {
        Set<Integer> differing = new TreeSet<>();
        known.forEach((slot, token) -> {
            // a token is never used again, so that no transaction has begun meanwhile if it is still the same
            Long row = tokensBySlot.get(slot);
            if (row != null && !row.equals(token) && tokens.get(slot) == token) {
                differing.add(slot);
            }
        });
        return differing;
    }

    /** {@return the tokens that the rows of the witness surely have, by slot; those of slots in use are left out} */
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
     * Sets the tokens from which transactions begin, where they are not known yet. A transaction that begins from an
     * outdated token detects that, and no harm is done.
     *
     * @param tokensBySlot all rows of this node in the witness
     */
    public void begin(Map<Integer, Long> tokensBySlot) {
        Set<Integer> left = slotsInDoubt();
        claims.gate().ifOpen(() -> {
            tokensBySlot.forEach((slot, token) -> {
                if (slot < tokens.capacity() && !ready && !left.contains(slot)) {
                    setToken(slot, token);
                    claims.forgetApplied(hash(), slot, token);
                }
            });
            ready = true;
            return true;
        });
    }

    /** The side that went back in time, or is missing. */
    public enum Older {
        /** The database: it has forgotten commits. */
        DATABASE,
        /** The node's directory: the filters may lack operations. They are held back for a window. */
        DIRECTORY
    }

    /**
     * Notes that rows of the witness differ from those that this node left last. Its slots are used again from the tokens that
     * the rows have now.
     *
     * @param known the tokens that the rows should have, by slot
     * @param rows the tokens that they have, of {@linkplain #differing some slots}
     * @return which side is the older one: neither, one, or both of them
     */
    public Set<Older> disagree(Map<Integer, Long> known, Map<Integer, Long> rows) {
        Set<Older> older = EnumSet.noneOf(Older.class);
        claims.gate().ifOpen(() -> {
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
            rows.forEach((slot, row) -> adopt(slot, known.getOrDefault(slot, SlotTokens.UNKNOWN), row));
            return true;
        });
        return older;
    }

    private void adopt(int slot, long known, long row) {
        tokens.compareAndSet(slot, known, row);
        claims.forgetApplied(hash(), slot, row);
    }

    /**
     * Ends a transaction in doubt whose slot's row has a newer token: it has ended, in a time that this directory does not
     * know. Its operations are held back with all others, and are new afterwards.
     *
     * @param row the token that the row has
     * @return false if the row is not newer, or a power failure explains that
     */
    public boolean endIfBehind(WitnessedTransaction transaction, long row) {
        if (!Tokens.isNewer(row, transaction.next()) || tokens.mayLag(row)) {
            return false;
        }
        claims.gate().ifOpen(() -> {
            behind();
            return true;
        });
        return transaction.settled(false, row);
    }

    /**
     * {@return what the database has forgotten, until an operator has {@linkplain #acceptLostCommits accepted} it; null if nothing}
     * The next process knows, too.
     */
    public @Nullable LostCommits lostCommits() {
        return lost;
    }

    /** Forgets the lost transactions after an operator has accepted them. */
    public void acceptLostCommits() {
        claims.gate().ifOpen(() -> {
            tokens.acceptLost();
            lost = null;
            return true;
        });
    }

    /**
     * Begins a transaction: gives it a slot and writes the record of its first claim. The caller has a connection, and
     * updates the witness's row next.
     *
     * @param first a claim that has not ended
     * @return the transaction, which the caller must end
     * @throws IllegalStateException if the tokens of the witness were not read yet
     * @throws dev.fbf.core.StorageException if a file failed: the claim is held or has ended then, and nothing is to be applied for it
     */
    public WitnessedTransaction transaction(Claim first) {
        if (!ready) {
            throw new IllegalStateException("database=" + name + ": the tokens of its witness were not read yet");
        }
        int slot = ((HeldClaim) first).recordIndex();
        WitnessedTransaction transaction = new WitnessedTransaction(
                this, slot, tokenOf(slot), newTokens.applyAsLong(tokenOf(slot)), Instant.now(), false);
        setToken(slot, SlotTokens.UNKNOWN);
        transaction.add(first);
        return transaction;
    }

    /** A token that the file does not keep would look as if the database had forgotten a commit. */
    private void setToken(int slot, long token) {
        try {
            tokens.set(slot, token);
        } catch (InternalError e) {
            throw claims.fail(e);
        }
    }

    private long tokenOf(int slot) {
        long token = tokens.get(slot);
        return token == SlotTokens.UNKNOWN ? NO_TOKEN : token; // a row that was not there
    }

    /**
     * {@return the transactions in doubt that can be settled, as of now; those with claims of scopes that are not open
     * yet are left out}
     */
    public Collection<WitnessedTransaction> settleable() {
        return inDoubt.stream().filter(WitnessedTransaction::isSettleable).toList();
    }

    /** {@return the number of transactions in doubt, settleable or not} */
    public int inDoubt() {
        return inDoubt.size();
    }

    /**
     * {@return whether {@link #isReady()}, and each transaction that the previous process left in doubt is settled, or
     * must be decided by an operator; those with claims of scopes that are not open yet are left out}
     */
    public boolean isRecovered() {
        return ready && inDoubt.stream().noneMatch(WitnessedTransaction::isToBeRecovered);
    }

    /**
     * Registers a listener for transactions that become settleable: a transaction is in doubt now, or the scope of one
     * that was left in doubt was opened.
     *
     * @param listener replaces the previous one; runs on the thread that caused the event, and must be quick
     */
    public void onSettleable(Runnable listener) {
        this.listener = listener;
    }

    /**
     * Registers a listener for transactions in doubt that the witness has settled.
     *
     * @param listener receives how long the transaction was in doubt, after all else is done; must be quick; its
     *     exceptions are logged
     */
    public void onSettled(Consumer<Duration> listener) {
        settleListeners.add(listener);
    }

    void settled(Duration inDoubtFor) {
        for (Consumer<Duration> settleListener : settleListeners) {
            try {
                settleListener.accept(inDoubtFor);
            } catch (RuntimeException e) {
                log.atWarn()
                        .addKeyValue("database", name)
                        .log("A settlement listener of the database {} has thrown: {}", name, e.toString());
            }
        }
    }

    /** Lets its file be unmapped, once no transaction can begin or be settled: none of its tokens is known from then on. */
    void release() {
        tokens.release();
    }

    int hash() {
        return ClaimLayout.hash(name);
    }

    void add(WitnessedTransaction transaction) {
        inDoubt.add(transaction);
        listener.run();
    }

    /** Notifies the listener: transactions may have waited for the scope. */
    void scopeOpened() {
        listener.run();
    }

    /** Notes that a transaction ended without a change of its slot's row; the claim keeps the slot. */
    void withdrawn(WitnessedTransaction transaction) {
        setToken(transaction.slot(), transaction.previous());
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
