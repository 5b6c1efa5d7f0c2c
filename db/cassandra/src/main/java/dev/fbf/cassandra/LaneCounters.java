package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import dev.fbf.core.CounterNameException;
import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a scope on Cassandra: each increment is an operation that is applied once, whatever node its retries come to.
 *
 * <p>A thread for each lane commits increments of callers that come at the same time, in groups. A counter begins at 0 when it is first
 * added to. Thread-safe.
 */
public final class LaneCounters implements AutoCloseable {

    /** The longest name of a counter, in characters. */
    public static final int LONGEST_NAME = 1_000;

    /** The most counters that one operation adds to. */
    public static final int MOST_COUNTERS = 16;

    private final LaneSettings settings;
    private final LaneTable table;
    private final RememberedOperations remembered;
    private final LaneClaims claims;
    private final List<LaneThread> lanes = new ArrayList<>();
    private final AtomicInteger recovering;

    private volatile LaneListener listener = LaneListener.NONE;
    private volatile boolean closed;

    /**
     * Opens a scope's counters. The operations of the retry window are read in the background: until they are, operations are refused.
     *
     * @param session a session with a keyspace that has the {@linkplain LaneSchema table}; it is used until {@link #close}, and not
     *     closed
     * @throws StorageException if the table is missing or has other columns, its keyspace's replication cannot keep what is committed, or
     *     the scope was opened with another number of lanes or another consistency before
     * @throws DriverException if Cassandra cannot be reached
     */
    public LaneCounters(CqlSession session, LaneSettings settings) {
        this.settings = settings;
        LaneSchema.check(session);
        Replication replication = Replication.of(session);
        replication.check(settings.consistency());
        CommitLogs.check(session);
        table = new LaneTable(session, settings);
        requireCommon(replication.deciding(settings.consistency()));
        remembered = new RememberedOperations(settings.scope(), settings.plan());
        claims = new LaneClaims(remembered, settings.plan().stated().retryWindow(), settings.maxClaims());
        recovering = new AtomicInteger(settings.lanes());
        int node = ThreadLocalRandom.current().nextInt();
        for (int i = 0; i < settings.lanes(); i++) {
            Lane lane = new Lane(i, settings, table, remembered, () -> listener, node);
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
                            + " are asked for: retries would come to other lanes than their operations.",
                    "State lanes=" + common.lanes() + " (property fbf.cassandra.lanes), or use another scope.",
                    null);
        }
        if (!common.replicas().equals(replicas)) {
            throw new StorageException(
                    "The operations of scope " + settings.scope() + " are decided by a majority of " + common.replicas()
                            + ", and this node would let a majority of " + replicas
                            + " decide: each could apply the same operation.",
                    "Use the same consistency (property fbf.cassandra.consistency) and the same local data center on all nodes. To"
                            + " change them, stop all nodes, repair the table in all data centers, and delete what is agreed: DELETE FROM "
                            + LaneTable.NAME + " WHERE scope = '" + settings.scope() + "' AND lane = -1 AND kind = 3;",
                    null);
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
     * @return a {@link Claim}, which the caller hands to {@link #apply} or ends; or a {@link Refusal}
     */
    public Admission admit(OperationId id) {
        if (closed) {
            return Refusal.STOPPED;
        }
        return isRecovering() ? Refusal.RECOVERING : claims.admit(id);
    }

    /**
     * Applies an operation together with those of other callers, and waits for its outcome.
     *
     * @param claim its claim, which this ends
     * @param fingerprint of its request; null if requests are not compared
     * @param deltas what to add to which counters, other than 0: 1 to {@value #MOST_COUNTERS} counters, whose names have 1 to {@value
     *     #LONGEST_NAME} characters
     * @param timeout how long to wait
     * @return the increment with its outcome; null if it is being applied still. An interrupted caller waits no longer
     * @throws IllegalArgumentException if no counter can have such a name, or the deltas are not as above; the claim is held still
     */
    public @Nullable LaneIncrement apply(
            Claim claim, @Nullable Long fingerprint, Map<String, Long> deltas, Duration timeout) {
        if (deltas.isEmpty() || deltas.size() > MOST_COUNTERS) {
            throw new IllegalArgumentException("counters=" + deltas.size() + ": must be 1 to " + MOST_COUNTERS);
        }
        deltas.forEach((counter, delta) -> {
            requireName(counter);
            if (delta == 0) {
                throw new IllegalArgumentException("delta=0: must be another number");
            }
        });
        LaneIncrement increment = new LaneIncrement(claim, fingerprint, Map.copyOf(deltas));
        return lane(claim.id()).apply(increment, timeout) ? increment : null;
    }

    /** Retries come to the same lane, whatever node has it. */
    private LaneThread lane(OperationId id) {
        return lanes.get((int) Long.remainderUnsigned(id.low(), lanes.size()));
    }

    /**
     * Compares the request of an applied operation.
     *
     * @return false if the operation was surely applied for another request
     */
    public boolean recognizes(OperationId id, long fingerprint) {
        return remembered.recognizes(id, fingerprint);
    }

    /**
     * Reads a counter, by a quorum.
     *
     * @return its value; empty if it was never added to
     * @throws DriverException if Cassandra cannot be reached
     */
    public OptionalLong value(String counter) {
        Long value = values(Set.of(counter)).get(counter);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /**
     * Reads counters, by a quorum. The values of several counters are not those of one moment.
     *
     * @return the values of the counters that were added to, by name
     * @throws IllegalArgumentException if no counter can have such a name
     * @throws DriverException if Cassandra cannot be reached
     */
    public Map<String, Long> values(Collection<String> counters) {
        counters.forEach(LaneCounters::requireName);
        List<CompletionStage<AsyncResultSet>> reads = new ArrayList<>();
        for (int lane = 0; lane < settings.lanes(); lane++) {
            reads.addAll(table.valuesLater(lane, counters));
        }
        return CounterSums.join(reads);
    }

    /** {@return whether operations are refused because those of the retry window are not read yet} */
    public boolean isRecovering() {
        return recovering.get() > 0;
    }

    /** {@return the filter of the scope's recent operations} */
    public ForgetfulBloomFilter filter() {
        return remembered.filter();
    }

    /** {@return the error that operations fail with at present; null if there is none} */
    public @Nullable Throwable failure() {
        return lanes.stream()
                .map(LaneThread::failure)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** {@return how many operations wait to be committed, as of now} */
    public int waiting() {
        return lanes.stream().mapToInt(LaneThread::waiting).sum();
    }

    /** {@return how many operations are under way, as of now} */
    public int held() {
        return claims.count();
    }

    /** Registers a listener, in place of the one before. */
    public void listen(LaneListener newListener) {
        listener = newListener;
    }

    /** Refuses new operations, commits those that wait, and ends the threads. */
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
            throw new CounterNameException(counter, "must not have half of a surrogate pair");
        }
        if (counter.isEmpty() || counter.length() > LONGEST_NAME) {
            throw new CounterNameException(counter, "must have 1 to " + LONGEST_NAME + " characters");
        }
    }
}
