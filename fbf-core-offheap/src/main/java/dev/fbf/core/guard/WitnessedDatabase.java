package dev.fbf.core.guard;

import dev.fbf.core.guard.ClaimRecords.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
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
    private final Claims claims;
    private final Safekeeping safekeeping;
    private final LongSupplier newTokens;

    /** By slot. Written by the thread that holds the slot, or before any thread can. */
    private final AtomicLongArray tokens;

    private final Set<WitnessedTransaction> inDoubt = ConcurrentHashMap.newKeySet();

    private volatile boolean ready;
    private volatile Runnable listener = () -> {};
    private final List<Consumer<Duration>> settleListeners = new CopyOnWriteArrayList<>();

    WitnessedDatabase(String name, Claims claims, Safekeeping safekeeping, int capacity, LongSupplier newTokens) {
        this.name = name;
        this.claims = claims;
        this.safekeeping = safekeeping;
        this.newTokens = newTokens;
        tokens = new AtomicLongArray(capacity);
    }

    /** {@return the database's name within the node} */
    public String name() {
        return name;
    }

    /** {@return the number of slots, and so of the node's rows in the witness; slots are numbered from 0} */
    public int slots() {
        return tokens.length();
    }

    /** {@return whether transactions can begin: the tokens of the witness were read} */
    public boolean isReady() {
        return ready;
    }

    /**
     * Sets the tokens from which transactions begin, for the first time or again. A transaction that begins from an
     * outdated token detects that, and no harm is done.
     *
     * @param tokensBySlot all rows of this node in the witness
     */
    public void begin(Map<Integer, Long> tokensBySlot) {
        tokensBySlot.forEach((slot, token) -> {
            if (slot < tokens.length()) {
                tokens.set(slot, token);
            }
        });
        ready = true;
    }

    /**
     * Begins a transaction: gives it a slot and writes the record of its first claim. The caller has a connection, and
     * updates the witness's row next.
     *
     * @param first a claim that has not ended
     * @return the transaction, which the caller must end
     * @throws IllegalStateException if the tokens of the witness were not read yet
     */
    public WitnessedTransaction transaction(Claim first) {
        if (!ready) {
            throw new IllegalStateException("database=" + name + ": the tokens of its witness were not read yet");
        }
        int slot = ((HeldClaim) first).recordIndex();
        WitnessedTransaction transaction = new WitnessedTransaction(
                this, claims, safekeeping, slot, tokens.get(slot), newTokens.getAsLong(), Instant.now(), false);
        transaction.add(first);
        return transaction;
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

    void freed(WitnessedTransaction transaction, long token) {
        tokens.set(transaction.slot(), token);
        inDoubt.remove(transaction);
    }

    /** Takes over a transaction that the previous process left behind. */
    void recover(List<Entry> left) {
        Entry first = left.get(0);
        new WitnessedTransaction(
                        this,
                        claims,
                        safekeeping,
                        first.slot(),
                        first.previous(),
                        first.next(),
                        Instant.ofEpochMilli(
                                left.stream().mapToLong(Entry::claimedAt).min().orElseThrow()),
                        true)
                .recover(left.stream().map(claims::recover).toList());
    }
}
