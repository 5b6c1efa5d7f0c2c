package dev.fbf.core.witness;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * A database in which a node applies operations, with a witness that records the outcome of the node's transactions. Thread-safe.
 */
public final class WitnessedDatabase {

    /** The token of a slot in which no transaction has committed yet. */
    public static final long NO_TOKEN = 0;

    private final String name;

    /** Hash of the name, which files store. */
    final long hash;

    private final UUID witness;
    final RecordedClaims claims;
    private final LongSupplier newTokens;

    /** Tokens of the slots' rows, from which the next transactions begin. A slot's token is written by the thread that holds the slot. */
    private final AtomicLongArray tokens;

    private final Set<WitnessedTransaction> inDoubt = ConcurrentHashMap.newKeySet();

    private volatile boolean ready;
    volatile Runnable listener = () -> {};

    /** @param newTokens creates a token that no slot had before */
    WitnessedDatabase(String name, UUID node, RecordedClaims claims, int slots, LongSupplier newTokens) {
        this.name = name;
        hash = ClaimLayout.databaseHash(name);
        witness = rowsOf(node, name);
        this.claims = claims;
        this.newTokens = newTokens;
        tokens = new AtomicLongArray(slots);
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

    public String name() {
        return name;
    }

    /** {@return the key of the rows in the witness, derived from the node's id and the database's name} */
    public UUID witness() {
        return witness;
    }

    /** {@return the number of slots, which is the number of the node's rows in the witness; slots are numbered from 0} */
    public int slots() {
        return tokens.length();
    }

    /** {@return whether transactions can begin: the tokens of the witness were read} */
    public boolean isReady() {
        return ready;
    }

    /** {@return the tokens from which transactions begin, by slot} */
    public long[] tokens() {
        return IntStream.range(0, slots()).mapToLong(tokens::get).toArray();
    }

    /**
     * Sets the tokens from which transactions begin. A slot in which a transaction has committed meanwhile keeps its own. A transaction that
     * begins from an outdated token detects that without harm.
     *
     * @param known the result of {@link #tokens()} before the rows were read
     * @param rows the tokens of this node's rows in the witness, by slot
     */
    public void setTokens(long[] known, Map<Integer, Long> rows) {
        rows.forEach((slot, token) -> {
            if (slot < known.length) {
                tokens.compareAndSet(slot, known[slot], token);
            }
        });
        ready = true;
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
        WitnessedTransaction transaction =
                new WitnessedTransaction(this, slot, tokens.get(slot), newTokens.getAsLong(), Instant.now(), false);
        transaction.add(first);
        return transaction;
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

    void add(WitnessedTransaction transaction) {
        inDoubt.add(transaction);
        listener.run();
    }

    void freed(WitnessedTransaction transaction, long token) {
        tokens.set(transaction.slot(), token);
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
