package dev.fbf.db.ledger;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.Arbiter;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.Recovery;
import dev.fbf.db.Response;
import dev.fbf.db.TransactionOutcome;
import dev.fbf.db.connection.Background;
import dev.fbf.db.connection.Pauses;
import dev.fbf.db.connection.SilenceLimit;
import dev.fbf.db.counter.CounterTable;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.db.group.PlainPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Arbiter of ledger mode: the ledger has all applied operations, and the filter saves database work. An operation that the filter does not
 * contain needs no lookup; a duplicate that it contains needs no transaction.
 */
public final class LedgerArbiter extends Arbiter {

    private static final Logger log = LoggerFactory.getLogger(LedgerArbiter.class);

    private static final Duration BETWEEN_PURGES = Duration.ofSeconds(10);

    /** Time limit for a response, which includes the wait of an untrusted server for its standby. */
    private static final Duration RESPONSE = Duration.ofSeconds(5);

    private static final Duration RESPONSE_TO_PURGE = Duration.ofSeconds(30);

    private static final Duration BETWEEN_POLLS = Duration.ofMillis(20);

    private final Lookup lookup;
    private final LedgerTable ledger;
    private final LedgerPurge purge;
    private final ResponseTable responseTable;
    private final Background purging = new Background(
            "fbf-purge", "Expired operations cannot be purged from the ledger now", BETWEEN_PURGES, early -> {
                purge();
                return BETWEEN_PURGES;
            });
    private final ExecutorService looking = daemon("fbf-ledger");
    private final ExecutorService trusting = daemon("fbf-trust");

    /** Longest wait for another node to produce and write a response, which never arrives if that node has ended. */
    private static final Duration RESPONSE_WRITTEN = Duration.ofSeconds(2);

    private final @Nullable ResponseLog responses;
    private final List<Consumer<Duration>> settleListeners = new CopyOnWriteArrayList<>();

    private Future<?> trust = CompletableFuture.completedFuture(null);

    /**
     * Creates an arbiter, to be started and closed.
     *
     * @param lookup queries the ledger on behalf of a caller
     * @param maxResponseBytes the heap limit of responses that are not written yet; 0 if none are kept
     */
    public LedgerArbiter(DataSource dataSource, FbfSchema schema, Lookup lookup, long maxResponseBytes) {
        super(dataSource, schema);
        this.lookup = lookup;
        ledger = new LedgerTable(schema);
        purge = new LedgerPurge(
                new LedgerHorizon(schema),
                BETWEEN_PURGES,
                System::nanoTime,
                new ExpiringRows(schema, LedgerTable.NAME),
                new ExpiringRows(schema, ResponseTable.NAME));
        responseTable = new ResponseTable(schema);
        ledger.onDistrust(this::trustLater);
        responses = maxResponseBytes > 0 ? new ResponseLog(dataSource, responseTable, maxResponseBytes) : null;
    }

    @Override
    public void check(Connection connection) throws SQLException {
        ledger.check(connection);
        if (responses != null) {
            responseTable.check(connection);
        }
    }

    @Override
    public void start() {
        if (responses != null) {
            responses.start();
        }
        purging.start(BETWEEN_PURGES);
    }

    /** Waits for an attempt to trust the server. No other recovery is necessary, because each operation's retry consults the ledger. */
    @Override
    public void awaitRecovered(Duration timeout) {
        trustLater();
        try {
            trusted().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            log.debug("The server is not trusted yet.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Trusts the server in the background. Until then, operations with rows on that server count as in progress. */
    private synchronized void trustLater() {
        if (trust.isDone() && !trusting.isShutdown()) {
            trust = trusting.submit(this::trust);
        }
    }

    private synchronized Future<?> trusted() {
        return trust;
    }

    private void trust() {
        try {
            SilenceLimit.inConnection(dataSource, RESPONSE, ledger::trust);
        } catch (SQLException | RuntimeException e) {
            log.debug("The server is not trusted yet.", e);
        }
    }

    @Override
    public Recovery recovery() {
        return Recovery.NONE;
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public OperationTransaction.Entries newEntries() {
        return new LedgerEntries(this, ledger);
    }

    @Override
    public @Nullable Applied find(OperationId id) {
        return find(id.toUuid());
    }

    private @Nullable Applied find(UUID operation) {
        return lookup.ask(connection -> ledger.find(connection, operation, responses != null));
    }

    @Override
    public boolean hasRecorded(OperationId id) {
        return Boolean.TRUE.equals(lookup.ask(connection -> ledger.contains(connection, id.toUuid())));
    }

    @Override
    public boolean recognizes(
            OperationId id, @Nullable Applied applied, long fingerprint, ForgetfulBloomFilter filter) {
        Long known = applied == null ? null : applied.fingerprint();
        return known == null || known == fingerprint;
    }

    @Override
    public @Nullable Consumer<Response> responses(Duration retention) {
        return responses == null ? null : response -> responses.add(ResponseTable.Entry.of(response, retention));
    }

    @Override
    public long droppedResponses() {
        return responses == null ? 0 : responses.dropped();
    }

    @Override
    public @Nullable Response response(OperationId id, @Nullable Applied applied) {
        if (responses == null) {
            return null;
        }
        UUID operation = id.toUuid();
        Response known = responses.find(operation);
        if (known == null) {
            known = applied == null || applied.response() == null ? awaitWritten(operation) : applied.response();
        }
        return known != null && known.isKept() ? known : null;
    }

    /**
     * Waits for the response of another node, which writes it a little after its COMMIT. Returns null if none is expected, or none arrives
     * in time.
     */
    private @Nullable Response awaitWritten(UUID operation) {
        Pauses pauses = new Pauses(RESPONSE_WRITTEN);
        for (; ; ) {
            Applied applied = find(operation);
            if (applied == null || !applied.isAwaited() || !pauses.pause()) {
                return applied == null ? null : applied.response();
            }
        }
    }

    @Override
    protected GroupCommit groupCommit(CounterTable counters) {
        return new GroupCommit(
                "ledger", dataSource, PlainPool.is(dataSource), counters, new LedgerGroup(counters, ledger));
    }

    @Override
    public @Nullable Refusal awaitSettled(GroupedIncrement increment, Duration timeout) {
        return awaitSettled(increment.claim().id(), timeout);
    }

    @Override
    public Collection<WitnessedTransaction> inDoubt() {
        return List.of(); // retries resolve the outcome
    }

    /** Returns whether the operation is known to have been applied. */
    boolean wasApplied(OperationId id, Duration timeout) {
        try {
            return query(id, timeout.toNanos()) == TransactionOutcome.COMMITTED;
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            log.debug("The ledger cannot be queried now for operation {}.", id, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    @Override
    public void onSettled(Consumer<Duration> listener) {
        settleListeners.add(listener);
    }

    /**
     * Waits for the end of the transaction that entered the operation. Returns the refusal of a retry; null if a retry may apply
     * the operation.
     */
    @Nullable Refusal awaitSettled(OperationId id, Duration timeout) {
        long begin = System.nanoTime();
        TransactionOutcome outcome = poll(id, timeout);
        if (outcome != TransactionOutcome.STILL_RUNNING) {
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            settleListeners.forEach(listener -> notifyListener(listener, took));
        }
        return outcome.refusal();
    }

    /** Notifies a listener, whose exceptions do not affect the outcome. */
    private static void notifyListener(Consumer<Duration> listener, Duration took) {
        try {
            listener.accept(took);
        } catch (RuntimeException e) {
            log.warn("A settlement listener failed: {}", e.toString());
        }
    }

    private TransactionOutcome poll(OperationId id, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            TransactionOutcome outcome = query(id, deadline - System.nanoTime());
            while (outcome == TransactionOutcome.STILL_RUNNING
                    && deadline - System.nanoTime() > BETWEEN_POLLS.toNanos()) {
                TimeUnit.NANOSECONDS.sleep(BETWEEN_POLLS.toNanos());
                outcome = query(id, deadline - System.nanoTime());
            }
            return outcome;
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            log.debug("The ledger cannot be queried now for operation {}.", id, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return TransactionOutcome.STILL_RUNNING;
    }

    private TransactionOutcome query(OperationId id, long nanos)
            throws ExecutionException, TimeoutException, InterruptedException {
        Future<TransactionOutcome> outcome = looking.submit(
                () -> SilenceLimit.find(dataSource, RESPONSE, connection -> ledger.settle(connection, id.toUuid())));
        try {
            return outcome.get(nanos, TimeUnit.NANOSECONDS);
        } finally {
            outcome.cancel(false);
        }
    }

    @Override
    public void close() {
        if (responses != null) {
            responses.close();
        }
        super.close();
        purging.close();
        looking.shutdownNow();
        trusting.shutdownNow();
    }

    /** Deletes some of the expired operations and responses. */
    void purge() throws SQLException {
        int purged = SilenceLimit.find(
                dataSource, RESPONSE_TO_PURGE, connection -> purge.round(connection, purging::isClosed));
        log.debug("Purged {} expired rows from fbf_ledger and fbf_response.", purged);
    }

    private static ExecutorService daemon(String name) {
        return Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }
}
