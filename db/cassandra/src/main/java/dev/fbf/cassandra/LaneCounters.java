package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import dev.fbf.core.CounterNameException;
import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Claims;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a scope on Cassandra: each increment is an operation that is applied once, even if its retries reach other nodes.
 *
 * <p>A thread per lane commits concurrent increments in groups. A counter is created at 0 by its first increment. Thread-safe.
 */
public final class LaneCounters implements AutoCloseable {

    /** Maximum length of a counter's name, in characters. */
    public static final int LONGEST_NAME = 1_000;

    /** Maximum number of counters per operation. */
    public static final int MOST_COUNTERS = 16;

    private final LaneSettings settings;
    private final LaneTable table;
    private final RememberedOperations remembered;
    private final Claims claims;
    private final List<LaneThread> lanes = new ArrayList<>();
    private final AtomicInteger recovering;

    private volatile LaneListener listener = (size, waited, took) -> {};
    private volatile boolean closed;

    /**
     * Opens a scope's counters. The operations of the retry window are read in the background: until this is complete, operations
     * are refused.
     *
     * @param session a session with a keyspace that has the {@linkplain LaneSchema table}; used until {@link #close}, which leaves the
     *     session open
     * @throws StorageException if {@link LaneSchema#check} fails, the keyspace's replication can lose committed groups or prevents commits,
     *     or the scope was opened with another number of lanes, consistency or local data center before
     * @throws DriverException if Cassandra cannot be reached
     */
    public LaneCounters(CqlSession session, LaneSettings settings) {
        this.settings = settings;
        LaneSchema.check(session);
        Replication replication = Replication.of(session);
        replication.check();
        Replication.checkCommitLogs(session);
        table = new LaneTable(session, settings);
        requireCommon(replication.deciding(settings.consistency()));
        remembered = new RememberedOperations(settings.scope(), settings.plan());
        claims = new Claims(settings.maxClaims(), applied -> {}); // the lane remembers the operations of its groups
        recovering = new AtomicInteger(settings.lanes());
        int node = ThreadLocalRandom.current().nextInt();
        for (int i = 0; i < settings.lanes(); i++) {
            Lane lane = new Lane(i, settings, table, remembered, node);
            lanes.add(new LaneThread(settings.scope(), i, lane, () -> listener, this::restored));
        }
        lanes.forEach(LaneThread::start);
    }

    private void requireCommon(String replicas) {
        LaneTable.Common common = table.agree(new LaneTable.Common(settings.lanes(), replicas));
        if (common.lanes() != settings.lanes()) {
            throw new StorageException(
                    "The scope " + settings.scope() + " has " + common.lanes() + " lanes in the table " + LaneTable.NAME
                            + ", and " + settings.lanes()
                            + " are configured: retries would reach other lanes than their operations.",
                    "Set lanes=" + common.lanes() + " (property fbf.cassandra.lanes), or use another scope.");
        }
        if (!common.replicas().equals(replicas)) {
            throw new StorageException(
                    "The operations of scope " + settings.scope() + " are decided by a majority of " + common.replicas()
                            + ", and this node would let a majority of " + replicas
                            + " decide: each could apply the same operation.",
                    "Use the same consistency (property fbf.cassandra.consistency) and the same local data center on"
                            + " all nodes. To change them, stop all nodes, repair the table in all data centers, and"
                            + " delete the agreed settings: DELETE FROM "
                            + LaneTable.NAME + " WHERE scope = '" + settings.scope() + "' AND lane = -1 AND kind = 3;");
        }
    }

    private void restored() {
        if (recovering.decrementAndGet() == 0) {
            remembered.start();
        }
    }

    /**
     * Admits or refuses an operation.
     *
     * @param fingerprint the fingerprint of its request; null if requests are not compared
     * @return a {@link Claim}, which the caller passes to {@link #apply} or ends; or a {@link Refusal}
     */
    public Admission admit(OperationId id, @Nullable Long fingerprint) {
        if (closed) {
            return Refusal.STOPPED;
        }
        if (isRecovering()) {
            return Refusal.RECOVERING;
        }
        // claims first: an applied operation is remembered before its claim is free
        Admission admission =
                claims.take(id, settings.scope(), settings.plan().stated().retryWindow(), fingerprint);
        if (admission == Refusal.NO_ROOM || !remembered.contains(id)) {
            return admission;
        }
        if (admission instanceof Claim claim) {
            claim.free();
        }
        return Refusal.APPLIED;
    }

    /**
     * Applies an operation together with those of concurrent callers, and waits for its outcome.
     *
     * @param claim the operation's claim, which ends with the increment
     * @param deltas the amounts to add, not 0, by counter: 1 to {@value #MOST_COUNTERS} counters, with names of 1 to {@value
     *     #LONGEST_NAME} characters
     * @param timeout the longest time to wait; a quarter of a second longer if a group has taken the operation
     * @return the increment with its outcome; null if it is still being applied, because the timeout has passed or the caller
     *     was interrupted
     * @throws IllegalArgumentException if a name or the deltas are invalid; the claim is still held
     */
    public @Nullable LaneIncrement apply(Claim claim, Map<String, Long> deltas, Duration timeout) {
        if (deltas.isEmpty() || deltas.size() > MOST_COUNTERS) {
            throw new IllegalArgumentException("counters=" + deltas.size() + ": must be 1 to " + MOST_COUNTERS);
        }
        deltas.forEach((counter, delta) -> {
            requireName(counter);
            if (delta == 0) {
                throw new IllegalArgumentException("delta=0: must be another number");
            }
        });
        LaneIncrement increment =
                new LaneIncrement(new GroupBlob.Entry(claim.id(), claim.fingerprint()), claim, Map.copyOf(deltas));
        return lane(claim.id()).apply(increment, timeout) ? increment : null;
    }

    /** Returns the lane of an operation; retries reach the same lane from every node. */
    private LaneThread lane(OperationId id) {
        return lanes.get((int) Long.remainderUnsigned(id.low(), lanes.size()));
    }

    /**
     * Reads counters at quorum. The values of several counters are not a snapshot.
     *
     * @return the values of the existing counters, by name
     * @throws IllegalArgumentException if a name is invalid
     * @throws DriverException if Cassandra cannot be reached
     */
    public Map<String, Long> values(Collection<String> counters) {
        counters.forEach(LaneCounters::requireName);
        return table.sums(counters, -1);
    }

    /** {@return whether operations are refused because the retry window's operations are still being read} */
    public boolean isRecovering() {
        return recovering.get() > 0;
    }

    /** {@return the filter of the scope's recent operations} */
    public ForgetfulBloomFilter filter() {
        return remembered.filter();
    }

    /** {@return the error that currently fails operations; null if there is none} */
    public @Nullable Throwable failure() {
        return lanes.stream()
                .map(LaneThread::failure)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** {@return the number of queued operations, as of now} */
    public int waiting() {
        return lanes.stream().mapToInt(LaneThread::waiting).sum();
    }

    /** {@return the number of operations in progress, as of now} */
    public int held() {
        return claims.held();
    }

    /** Registers a listener, which replaces the previous one. */
    public void listen(LaneListener newListener) {
        listener = newListener;
    }

    /** Refuses new operations, and commits queued ones. Interrupts the threads while recovering, or after twice the timeout of a group. */
    @Override
    public void close() {
        closed = true;
        lanes.forEach(LaneThread::close);
        if (isRecovering()) {
            lanes.forEach(LaneThread::interrupt);
        }
        long deadline =
                System.nanoTime() + settings.groupTimeout().multipliedBy(2).toNanos();
        try {
            for (LaneThread lane : lanes) {
                if (!lane.awaitEnd(Duration.ofNanos(deadline - System.nanoTime()))) {
                    lane.interrupt();
                }
            }
        } catch (InterruptedException e) {
            lanes.forEach(LaneThread::interrupt);
            Thread.currentThread().interrupt();
        }
        remembered.close();
    }

    private static void requireName(String counter) {
        if (counter.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
            throw new CounterNameException(counter, "must not have an unpaired surrogate");
        }
        if (counter.isEmpty() || counter.length() > LONGEST_NAME) {
            throw new CounterNameException(counter, "must have 1 to " + LONGEST_NAME + " characters");
        }
    }
}
