package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.NodeUnavailableException;
import com.datastax.oss.driver.api.core.RequestThrottlingException;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.fbf.cassandra.GroupBlob.Added;
import dev.fbf.cassandra.GroupBlob.Entry;
import dev.fbf.cassandra.LaneTable.Decision;
import dev.fbf.cassandra.LaneTable.Stored;
import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One partition of a scope's operations, and this node's knowledge of it. Confined to the lane's thread. */
class Lane {

    /*
     * As far as this node knows, the lane has k groups: those of the window are in the filter, and the shares of some counters, as of group
     * k, are in memory. A group is committed by a batch that is applied only if it is group k + 1.
     *
     * Applied:     no other node has written since; the operations go to the filter, and the callers get the values
     * Not applied: other nodes have written; their groups go to the filter, the shares are dropped, new duplicates are removed, and
     * the other operations are retried
     * Forwarded:   the leader's next group has the operations, and the shares that they have made
     * Unknown:     the same batch is sent again until its result is known. It can be applied at most once, because then the lane has k + 1
     * groups. If it is not applied, an earlier send may be among the new groups.
     * Given up:    no operation is remembered. The next batch shows the outcome: it is not applied if the earlier one was.
     */
    private static final Logger log = LoggerFactory.getLogger(Lane.class);

    private static final long FIRST_PAUSE = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofMillis(200).toNanos();

    /** Interval at which a leader looks for forwarded operations while it knows of no other node in the lane. */
    private static final long LOOK_NANOS = Duration.ofMillis(25).toNanos();

    /** Number of groups that may leave out a node's forwarded operations. After one more, the node commits them itself. */
    private static final int LEFT_OUT = 4;

    /** Divisor of a batch's duration, for the pause between two reads of the leader's groups. */
    private static final int READS_IN_A_BATCH = 4;

    /** Number of missed groups above which the node reads the whole window again, as after a start, without expired groups. */
    private static final long FAR = 10_000;

    /** The number of shares in the lanes' memory, which take about 10 MB. One that is not there costs its group one more read. */
    private static final int CACHED_COUNTERS = 100_000;

    private final int index;
    private final LaneSettings settings;
    private final LaneTable table;
    private final RememberedOperations remembered;
    private final int node;
    private final Leadership leadership;
    private final Floor floor;

    /** Shares of recently used counters, as of the last known group. */
    private final Map<String, Long> shares;

    /** The number of known groups, k. */
    private long committed;

    private int number;

    /** The latest read of forwarded groups. */
    private CompletableFuture<List<ForwardedGroup>> forwarded = CompletableFuture.completedFuture(List.of());

    private long lookedAt;

    /** This node's increments that the leader may apply, by id. */
    private final Map<OperationId, LaneIncrement> awaited = new HashMap<>();

    /** The number of the first group in which this node forwarded them. */
    private int awaitedSince;

    /** The shares that forwarded increments have made, until a majority of the replicas has them. */
    private final Map<LaneIncrement, Map<String, Long>> made = new LinkedHashMap<>();

    /** Write times of the shares in {@link #made}, by counter; taken from Cassandra's clocks. */
    private final Map<String, Long> madeAt = new HashMap<>();

    /**
     * A group before its commit.
     *
     * @param made the new shares of each increment, without known duplicates
     * @param after the shares of its counters after the group
     * @param overflowing this node's increments that exceed the range
     * @param blob the content of its row
     */
    private record Draft(
            Map<LaneIncrement, Map<String, Long>> made,
            Map<String, Long> after,
            Map<LaneIncrement, CounterRangeException> overflowing,
            GroupBlob blob) {

        boolean isEmpty() {
            return made.isEmpty() && overflowing.isEmpty();
        }
    }

    /** Signals that the outcome of a group remains unknown. */
    private static final class InDoubtException extends Exception {

        private static final long serialVersionUID = 1;

        InDoubtException(@Nullable Throwable cause) {
            super(cause);
        }
    }

    Lane(int index, LaneSettings settings, LaneTable table, RememberedOperations remembered, int node) {
        this.index = index;
        this.settings = settings;
        this.table = table;
        this.remembered = remembered;
        this.node = node;
        leadership = new Leadership(node, System.nanoTime());
        lookedAt = System.nanoTime();
        floor = new Floor(Duration.ofSeconds(settings.secondsKept()));
        shares = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                return size() > CACHED_COUNTERS / settings.lanes();
            }
        };
    }

    /**
     * Reads the groups of the window into the filter, with their original times.
     *
     * @throws RuntimeException if Cassandra cannot be reached, or has lost a part of the table; the call can be repeated
     */
    void restore() {
        long seq = table.seq(index);
        requireWhole(seq);
        int groups = readWindow(seq, stored -> remembered.restore(stored.group(), millisSince(stored)));
        log.atInfo()
                .addKeyValue("scope", settings.scope())
                .log(
                        "Lane {} of scope {} has {} groups; restored {} of the retry window.",
                        index,
                        settings.scope(),
                        seq,
                        groups);
    }

    private long millisSince(Stored stored) {
        return TimeUnit.SECONDS.toMillis(Math.max(0, settings.secondsKept() - stored.secondsLeft()));
    }

    /** Reads the groups that have not expired, up to the last one; returns their number. */
    private int readWindow(long seq, Consumer<Stored> receiver) {
        long from = seq;
        for (Stored last : table.groups(index, Math.max(0, seq - 1), seq)) {
            from = last.group().floor();
        }
        int groups = 0;
        for (Stored stored : table.groups(index, from, seq)) {
            receiver.accept(seen(stored));
            groups++;
        }
        committed = seq;
        floor.begin(from, seq, System.nanoTime());
        return groups;
    }

    /** Reads the groups or the forwarded operations of other nodes. */
    void refresh() {
        long now = System.nanoTime();
        try {
            if (leadership.leader() == node) {
                refreshForwarded(now);
            } else if (leadership.isShared(now)) {
                learnRecent();
            }
        } catch (DriverException | CompletionException e) {
            log.debug("The operations of other nodes cannot be read.", e); // the next batch shows the outcome
        }
    }

    /** Reads forwarded operations: before each group if other nodes share the lane, else at intervals and asynchronously. */
    private void refreshForwarded(long now) {
        if (leadership.isShared(now)) {
            if (now - lookedAt > leadership.batchNanos()) {
                look(now);
            }
            forwarded.join();
        } else if (forwarded.isDone() && now - lookedAt >= LOOK_NANOS) {
            if (!forwarded.isCompletedExceptionally() && isFromOthers(forwarded.join())) {
                leadership.others(now);
            }
            look(now);
        }
    }

    private void look(long now) {
        lookedAt = now;
        forwarded = table.forwarded(index).toCompletableFuture();
    }

    private boolean isFromOthers(List<ForwardedGroup> groups) {
        return groups.stream().anyMatch(group -> group.node() != node);
    }

    /**
     * Commits a group, and ends all its increments.
     *
     * @return Cassandra's error that prevented the commit or left it in doubt; null if there was none
     */
    @Nullable Throwable commit(List<LaneIncrement> group) throws InterruptedException {
        long deadline = System.nanoTime() + settings.groupTimeout().toNanos();
        try {
            for (List<LaneIncrement> left = remaining(group); !left.isEmpty(); left = remaining(left)) {
                left = forward(left, deadline);
                Draft draft = draft(left, forwardedToThis(left), deadline);
                if (draft.isEmpty() || commit(draft, deadline)) {
                    return null;
                }
                if (System.nanoTime() - deadline > 0) {
                    refuse(left, Refusal.CONFLICT, null);
                }
            }
            return null;
        } catch (InDoubtException e) {
            refuse(group, Refusal.IN_DOUBT, e.getCause());
            return e.getCause();
        } catch (DriverException e) {
            // the group was not applied: nothing was sent, or the batch was refused
            if (e instanceof QueryValidationException) {
                unfinished(group).forEach(increment -> increment.failed(e));
            } else {
                refuse(group, Refusal.TIMEOUT, e);
            }
            return e;
        } finally {
            awaited.clear();
            made.clear();
            madeAt.clear();
        }
    }

    /**
     * Forwards increments to the leader, and waits for its groups, as long as another node leads.
     *
     * @return the unfinished increments, which this node commits itself
     */
    private List<LaneIncrement> forward(List<LaneIncrement> group, long deadline) throws InterruptedException {
        List<LaneIncrement> left = group;
        long leftOut = committed + LEFT_OUT;
        while (!left.isEmpty() && committed <= leftOut && follows(deadline)) {
            try {
                forward(left, leftOut, deadline);
            } catch (DriverException e) {
                log.debug("Operations cannot be forwarded.", e);
            }
            if (!made.isEmpty()) {
                repeatedly(() -> table.seq(index), deadline); // completes the leader's group
                completeMade();
            }
            left = remaining(left);
        }
        return left;
    }

    private void forward(List<LaneIncrement> group, long leftOut, long deadline) throws InterruptedException {
        number++;
        if (awaited.isEmpty()) {
            awaitedSince = number;
        }
        for (LaneIncrement increment : group) {
            increment.forward();
            awaited.put(increment.id(), increment);
        }
        int leader = leadership.leader();
        long first = committed;
        long known = committed;
        long knownAt = 0;
        table.forward(index, new ForwardedGroup(node, number, committed, group));
        long pause = leadership.batchNanos() / READS_IN_A_BATCH;
        TimeUnit.NANOSECONDS.sleep(leadership.batchNanos() - pause);
        do {
            TimeUnit.NANOSECONDS.sleep(pause);
            learnRecent();
            if (table.isVisible(index, madeAt)) {
                completeMade();
            }
            if (committed > known) {
                long now = System.nanoTime();
                if (known > first) {
                    leadership.took((now - knownAt) / (committed - known));
                }
                known = committed;
                knownAt = now;
            }
        } while (!unfinished(group).isEmpty()
                && leadership.leader() == leader
                && committed <= leftOut
                && follows(deadline));
    }

    private boolean follows(long deadline) {
        long now = System.nanoTime();
        return leadership.follows(now) && now - deadline < 0;
    }

    /** Completes the forwarded increments that the leader has applied. */
    private void completeMade() {
        complete(made);
        made.clear();
        madeAt.clear();
    }

    /** Returns the forwarded increments that this node adds to its next group, if it leads. */
    private List<ForwardedGroup> forwardedToThis(List<LaneIncrement> own) {
        if (!forwarded.isDone() || forwarded.isCompletedExceptionally()) {
            return List.of();
        }
        List<ForwardedGroup> added = new ArrayList<>();
        GroupSize size = new GroupSize(2);
        Set<OperationId> ids = new HashSet<>();
        for (LaneIncrement increment : own) {
            size.add(increment);
            ids.add(increment.id());
        }
        for (ForwardedGroup group : forwarded.join()) {
            if (group.node() != node && leadership.adds(group)) {
                leadership.others(System.nanoTime());
                added.add(group.only(increment -> {
                    boolean isAdded =
                            size.fits(increment) && !remembered.contains(increment.id()) && ids.add(increment.id());
                    if (isAdded) {
                        size.add(increment);
                    }
                    return isAdded;
                }));
            }
        }
        return added;
    }

    /** Ends the increments of a group as in doubt, after an unexpected error. */
    void fail(List<LaneIncrement> group, Throwable e) {
        refuse(group, Refusal.IN_DOUBT, e);
    }

    private static void refuse(List<LaneIncrement> group, Refusal why, @Nullable Throwable because) {
        unfinished(group).forEach(increment -> increment.refused(why, because));
    }

    private static List<LaneIncrement> unfinished(List<LaneIncrement> group) {
        return group.stream().filter(increment -> !increment.hasEnded()).toList();
    }

    /** Returns the unfinished increments without duplicates: another node may have applied an operation since it was admitted here. */
    private List<LaneIncrement> remaining(List<LaneIncrement> group) {
        List<LaneIncrement> others = new ArrayList<>();
        for (LaneIncrement increment : unfinished(group)) {
            if (remembered.contains(increment.entry().id())) {
                increment.refused(Refusal.APPLIED, null);
            } else {
                others.add(increment);
            }
        }
        return others;
    }

    private Draft draft(List<LaneIncrement> own, List<ForwardedGroup> added, long deadline)
            throws InterruptedException {
        List<LaneIncrement> all = new ArrayList<>(own);
        added.forEach(group -> all.addAll(group.increments()));
        Map<String, Long> before = sharesOf(all, deadline);
        Map<String, Long> after = new LinkedHashMap<>();
        Map<LaneIncrement, Map<String, Long>> shares = new LinkedHashMap<>();
        Map<LaneIncrement, CounterRangeException> overflowing = new HashMap<>();
        for (LaneIncrement increment : all) {
            Map<String, Long> next = new LinkedHashMap<>();
            try {
                increment
                        .deltas()
                        .forEach((counter, delta) -> next.put(
                                counter,
                                share(counter, after.getOrDefault(counter, before.getOrDefault(counter, 0L)), delta)));
                after.putAll(next);
                shares.put(increment, next);
            } catch (CounterRangeException e) {
                overflowing.put(increment, e);
            }
        }
        overflowing.keySet().retainAll(own);
        number++;
        GroupBlob blob = new GroupBlob(
                node,
                number,
                floor.get(),
                added.isEmpty() && leadership.isIdle(System.nanoTime()),
                shares.keySet().stream().map(LaneIncrement::entry).toList(),
                added.stream().map(group -> added(group, shares)).toList());
        return new Draft(shares, after, overflowing, blob);
    }

    private static GroupBlob.Added added(ForwardedGroup group, Map<LaneIncrement, Map<String, Long>> shares) {
        List<LaneIncrement> increments =
                group.increments().stream().filter(shares::containsKey).toList();
        return new GroupBlob.Added(
                group.node(),
                group.number(),
                increments.size(),
                increments.stream()
                        .flatMap(increment -> Objects.requireNonNull(shares.get(increment)).values().stream())
                        .toList());
    }

    /** Adds to a share. The sum over all lanes cannot overflow, because each lane's share stays within its part of the range. */
    private long share(String counter, long share, long delta) {
        int lanes = settings.lanes();
        long sum = share + delta;
        boolean overflows = ((share ^ sum) & (delta ^ sum)) < 0; // overflow check of Math.addExact
        if (overflows || sum > Long.MAX_VALUE / lanes || sum < Long.MIN_VALUE / lanes) {
            throw new CounterRangeException(counter, share, delta, lanes);
        }
        return sum;
    }

    /**
     * Returns the shares of a group's counters. Reads are at least as recent as the last known group, and the batch fails if other nodes
     * have written since.
     */
    private Map<String, Long> sharesOf(List<LaneIncrement> group, long deadline) throws InterruptedException {
        Map<String, Long> known = new HashMap<>();
        Set<String> missing = new HashSet<>();
        group.stream()
                .flatMap(increment -> increment.deltas().keySet().stream())
                .forEach(counter -> {
                    Long share = shares.get(counter);
                    if (share == null) {
                        missing.add(counter);
                    } else {
                        known.put(counter, share);
                    }
                });
        if (!missing.isEmpty()) {
            Map<String, Long> read = repeatedly(() -> table.values(index, missing), deadline);
            missing.forEach(counter -> known.put(counter, read.getOrDefault(counter, 0L)));
        }
        return known;
    }

    /** Commits a group; returns whether it was applied. If not, the groups of other nodes have been read. */
    private boolean commit(Draft draft, long deadline) throws InDoubtException, InterruptedException {
        long begin = System.nanoTime();
        Decision decision = decide(draft, deadline);
        boolean applied = decision.applied();
        if (applied) {
            committed++;
            long now = System.nanoTime();
            leadership.committed(committed, now - begin, now);
            floor.advance(committed, now);
            remembered.add(draft.blob);
            shares.putAll(draft.after);
            if (leadership.isShared(now)) {
                look(now); // meanwhile, callers get their values and send their next operations
            }
        } else {
            try {
                applied = repeatedly(() -> catchUp(decision.seq(), draft.blob), deadline);
            } catch (DriverException e) {
                throw new InDoubtException(e); // the group that was applied may be an earlier send of this one
            }
        }
        if (applied) {
            complete(draft.made);
            draft.overflowing.forEach(LaneIncrement::failed);
        }
        return applied;
    }

    /** Sends a group until the result of a send is known. */
    private Decision decide(Draft draft, long deadline) throws InDoubtException, InterruptedException {
        BatchStatement batch = table.batch(index, committed, draft.blob, draft.after);
        AtomicBoolean mayBeApplied = new AtomicBoolean();
        try {
            return repeatedly(
                    () -> {
                        try {
                            return table.commit(index, batch, committed);
                        } catch (DriverException e) {
                            mayBeApplied.compareAndSet(false, !isNotSent(e));
                            throw e;
                        }
                    },
                    deadline);
        } catch (DriverException e) {
            if (mayBeApplied.get()) {
                throw new InDoubtException(e);
            }
            throw e;
        }
    }

    /** Returns whether no replica has received the batch: it was not applied and will not be. */
    private static boolean isNotSent(Throwable e) {
        if (e instanceof AllNodesFailedException failed) {
            return failed.getAllErrors().values().stream()
                    .flatMap(Collection::stream)
                    .allMatch(Lane::isNotSent);
        }
        return e instanceof QueryValidationException
                || e instanceof NodeUnavailableException
                || e instanceof RequestThrottlingException;
    }

    private void complete(Map<LaneIncrement, Map<String, Long>> shares) {
        if (settings.lanes() > 1) {
            completeWithSums(shares);
        } else {
            shares.forEach(LaneIncrement::applied);
        }
    }

    /**
     * Completes the increments with the counters' values. A value is the sum of all lanes' shares; those of other lanes are read after
     * the commit.
     */
    private void completeWithSums(Map<LaneIncrement, Map<String, Long>> shares) {
        Set<String> counters = new HashSet<>();
        shares.values().forEach(ofIncrement -> counters.addAll(ofIncrement.keySet()));
        try {
            Map<String, Long> others = table.sums(counters, index);
            shares.forEach((increment, sums) -> {
                sums.replaceAll((counter, share) -> share + others.getOrDefault(counter, 0L));
                increment.applied(sums);
            });
        } catch (RuntimeException e) {
            refuse(List.copyOf(shares.keySet()), Refusal.APPLIED, e); // retries get the value
        }
    }

    /**
     * Reads the groups of other nodes.
     *
     * @param seq the number of groups in the lane
     * @param own a group of this node that may be among them
     * @return whether it is
     */
    private boolean catchUp(long seq, GroupBlob own) {
        requireNoLoss(seq);
        List<Stored> groups = new ArrayList<>();
        if (seq - committed > FAR) {
            readWindow(seq, groups::add);
        } else {
            table.groups(index, committed, seq).forEach(stored -> groups.add(seen(stored)));
        }
        learn(groups);
        completeMade();
        committed = seq;
        floor.advance(seq, System.nanoTime());
        shares.clear();
        return groups.stream().map(Stored::group).anyMatch(own::isSameGroup);
    }

    /** Notes the longest time to live: another node may keep its groups for longer, and no node may skip them. */
    private Stored seen(Stored stored) {
        floor.keep(Duration.ofSeconds(stored.secondsLeft()));
        return stored;
    }

    /** Refuses to continue after a loss of groups: values would be wrong, and operations would be applied again. */
    private void requireNoLoss(long seq) {
        if (seq < committed) {
            throw new StorageException(
                    "Lane " + index + " of scope " + settings.scope() + " has " + seq + " groups in Cassandra, but had "
                            + committed
                            + ": the table was truncated or restored, or replicas without its data have a majority.",
                    "Operations of the scope are refused. Repair the table in all data centers (nodetool repair"
                            + " --full). If it was restored on purpose, restart all nodes of the application: the"
                            + " counters continue from the table's values, and operations that it has lost may be"
                            + " applied again.");
        }
    }

    /** Checks that a lane with shares has groups. */
    private void requireWhole(long seq) {
        if (seq == 0 && table.hasShares(index)) {
            throw new StorageException(
                    "Lane " + index + " of scope " + settings.scope()
                            + " has counters but no groups in Cassandra: a part of the table is lost.",
                    "Operations of the scope are refused. Repair the table in all data centers (nodetool repair"
                            + " --full), or restore the whole table.");
        }
    }

    /** Reads the groups that other nodes have committed meanwhile. */
    private void learnRecent() {
        List<Stored> groups = new ArrayList<>();
        for (Stored stored : table.recentGroups(index, committed)) {
            if (stored.number() != committed + 1 + groups.size()) {
                // the missing groups have expired, or are not on this replica: the next batch is not applied, and
                // catches up
                break;
            }
            groups.add(seen(stored));
        }
        if (!groups.isEmpty()) {
            learn(groups);
            committed += groups.size();
            floor.advance(committed, System.nanoTime());
            shares.clear();
        }
    }

    private void learn(List<Stored> groups) {
        for (Stored stored : groups) {
            GroupBlob group = stored.group();
            remembered.add(group);
            leadership.saw(group.node(), group.idle(), System.nanoTime());
            int first = group.operations().size()
                    - group.added().stream().mapToInt(Added::operations).sum();
            for (Added added : group.added()) {
                List<Entry> entries = group.operations().subList(first, first + added.operations());
                if (added.node() == node && added.number() - awaitedSince >= 0) {
                    learnMade(entries, added.shares().iterator(), stored.written());
                }
                first += added.operations();
            }
        }
    }

    /** Records the shares that this node's forwarded increments have made. */
    private void learnMade(List<Entry> entries, Iterator<Long> shares, long written) {
        for (Entry entry : entries) {
            LaneIncrement increment = awaited.get(entry.id());
            if (increment == null) {
                return; // an earlier call forwarded this group
            }
            Map<String, Long> next = new LinkedHashMap<>();
            increment.deltas().keySet().forEach(counter -> {
                next.put(counter, shares.next());
                madeAt.put(counter, written);
            });
            if (!increment.hasEnded()) {
                made.put(increment, next);
            }
        }
    }

    private <T> T repeatedly(Supplier<T> request, long deadline) throws InterruptedException {
        for (long pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
            try {
                return request.get();
            } catch (DriverException e) {
                if (System.nanoTime() - deadline > 0 || e instanceof QueryValidationException) {
                    throw e;
                }
                log.debug("A request is repeated.", e);
            }
            TimeUnit.NANOSECONDS.sleep(pause);
        }
    }
}
