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
 * A database in which a node applies operations, with a witness that tells what became of the node's transactions.
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

    /** By slot. Written by whoever has the slot, or before anybody can. */
    private final AtomicLongArray tokens;

    private final Set<WitnessedTransaction> unsettled = ConcurrentHashMap.newKeySet();

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

    /**
     * Returns what tells the databases of a node apart.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns how many rows the witness has of this node.
     *
     * @return the number of slots: slots are numbered from 0
     */
    public int slots() {
        return tokens.length();
    }

    /**
     * Tells whether transactions can begin.
     *
     * @return whether the witness's tokens were read
     */
    public boolean isReady() {
        return ready;
    }

    /**
     * Makes transactions begin where the witness stands, now or again: a token that is out of date by the time it is
     * used makes its transaction find out, and nothing worse.
     *
     * @param tokensBySlot all the rows that the witness has of this node
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
     * Begins a transaction: gives it a slot and writes its first claim down. The caller has its connection, and turns
     * the witness's row next.
     *
     * @param first a claim that has not ended
     * @return the transaction, which the caller must end
     * @throws IllegalStateException if the witness's tokens were not read yet
     */
    public WitnessedTransaction transaction(Claim first) {
        if (!ready) {
            throw new IllegalStateException("database=" + name + ": the tokens of its witness were not read yet");
        }
        int slot = ((HeldClaim) first).place();
        WitnessedTransaction transaction = new WitnessedTransaction(
                this, claims, safekeeping, slot, tokens.get(slot), newTokens.getAsLong(), Instant.now(), false);
        transaction.add(first);
        return transaction;
    }

    /**
     * Returns the transactions that are in doubt and can be settled: those with claims of scopes that nobody opened
     * yet are left out.
     *
     * @return the transactions, as they are now
     */
    public Collection<WitnessedTransaction> settleable() {
        return unsettled.stream().filter(WitnessedTransaction::isSettleable).toList();
    }

    /**
     * Returns how many transactions are in doubt, whether they can be settled or not.
     *
     * @return the number of transactions
     */
    public int inDoubt() {
        return unsettled.size();
    }

    /**
     * Tells whether the transactions that the process before this one left in doubt have been settled, or turned out to be
     * an operator's to decide. Those with claims of scopes that nobody opened yet are left out.
     *
     * @return whether {@link #isReady()}, and no such transaction is to be settled
     */
    public boolean isRecovered() {
        return ready && unsettled.stream().noneMatch(WitnessedTransaction::isToBeRecovered);
    }

    /**
     * Registers a listener for transactions that can be settled from now on: a transaction has come to be in doubt, or the
     * scope of one that was left in doubt has been opened.
     *
     * @param listener takes the place of the one before; is called by the thread that made it so, and must be quick
     */
    public void onSettleable(Runnable listener) {
        this.listener = listener;
    }

    /**
     * Registers a listener for transactions in doubt that the witness has settled.
     *
     * @param listener is called with how long it was in doubt, when all else is done, and must be quick; what it throws is
     *     logged
     */
    public void onSettled(Consumer<Duration> listener) {
        settleListeners.add(listener);
    }

    void settled(Duration inDoubt) {
        for (Consumer<Duration> settleListener : settleListeners) {
            try {
                settleListener.accept(inDoubt);
            } catch (RuntimeException e) {
                log.atWarn()
                        .addKeyValue("database", name)
                        .log("A settlement listener of the database {} has thrown: {}", name, e.toString());
            }
        }
    }

    int number() {
        return ClaimLayout.number(name);
    }

    void add(WitnessedTransaction transaction) {
        unsettled.add(transaction);
        listener.run();
    }

    /** A scope was opened: transactions may have waited for it. */
    void scopeOpened() {
        listener.run();
    }

    /** A slot's transaction has ended. */
    void freed(WitnessedTransaction transaction, long token) {
        tokens.set(transaction.slot(), token);
        unsettled.remove(transaction);
    }

    /** Takes over a transaction that the process before this one left behind. */
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
