package dev.fbf.db.group;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.dialect.CounterTable;
import dev.fbf.db.group.GroupCommitContract.Outcome.Alone;
import dev.fbf.db.group.GroupCommitContract.Outcome.Applied;
import dev.fbf.db.group.GroupCommitContract.Outcome.Failed;
import dev.fbf.db.group.GroupCommitContract.Outcome.Refused;
import dev.fbf.db.group.GroupCommitContract.Outcome.Unknown;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What holds of groups whatever tells their outcome. */
@Timeout(60)
public abstract class GroupCommitContract {

    public static final Duration TIMEOUT = Duration.ofSeconds(20);

    @RegisterExtension
    public static final FbfDatabase database = new FbfDatabase();

    @TempDir
    private Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final ExecutorService callers = Executors.newCachedThreadPool();

    private Connection observer;
    private TestNode node;
    private GroupCommit group;

    /** Groups of a node that is ready. */
    protected abstract GroupCommit open(
            Node node, DataSource dataSource, boolean callersMayCommit, CounterTable counters) throws SQLException;

    /** A process with a directory and connections of its own. */
    public final class TestNode {

        private final Node node;
        private final ScopeClaims claims;
        final List<Connection> connections = new ArrayList<>();

        public TestNode(String name) {
            node = Node.open(directory.resolve(name), 600, false);
            claims = node.scope("scope", FilterSizing.DEFAULT.plan());
            opened.add(node);
        }

        public GroupCommit groups(CounterTable counters) throws SQLException {
            Connection connection = database.connect();
            connections.add(connection);
            return groups(counters, () -> StrangeConnections.pooled(connection));
        }

        public GroupCommit groups(CounterTable counters, Callable<Connection> source) throws SQLException {
            GroupCommit groups = open(node, StrangeConnections.dataSource(source), false, counters);
            opened.add(0, groups);
            return groups;
        }

        /** Groups whose callers commit for themselves when they are alone. */
        GroupCommit groupsOfLeaders() throws SQLException {
            Connection connection = database.connect();
            GroupCommit groups = open(
                    node,
                    StrangeConnections.dataSource(() -> StrangeConnections.pooled(connection)),
                    true,
                    FbfDatabase.COUNTERS);
            opened.add(0, groups);
            return groups;
        }

        public WitnessedDatabase witnessed() {
            return node.database("database");
        }

        public UUID id() {
            return node.id();
        }

        public Claim claim(String key) {
            return claim(key, null);
        }

        public Claim claim(String key, @Nullable Long fingerprint) {
            return (Claim) claims.admit(OperationId.of("scope", "", key), fingerprint);
        }

        public Object admit(String key) {
            return claims.admit(OperationId.of("scope", "", key), null);
        }

        public Outcome add(GroupCommit groups, String key, String counter, long delta) {
            return told(groups.apply(claim(key), counter, delta, TIMEOUT));
        }
    }

    @BeforeEach
    void begin() throws SQLException {
        observer = database.connect();
        execute(observer, "DROP TABLE IF EXISTS page");
        execute(
                observer,
                "CREATE TABLE page (id bigint PRIMARY KEY, views integer NOT NULL CHECK (views BETWEEN 0 AND 100))");
        node = new TestNode("a");
        group = node.groups(FbfDatabase.COUNTERS);
    }

    @AfterEach
    void end() throws Exception {
        callers.shutdownNow();
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    @Test
    void callersThatCommitForThemselvesWhenTheyAreAloneAreAppliedOnceBesideOthers() throws Exception {
        GroupCommit groups = node.groupsOfLeaders();
        AtomicInteger alone = new AtomicInteger();
        AtomicInteger together = new AtomicInteger();
        groups.listen((size, waited, took) ->
                (Thread.currentThread().getName().startsWith("fbf-group-") ? together : alone).addAndGet(size));

        List<Outcome> outcomes = together(IntStream.range(0, 400), i -> {
            if (i % 100 == 0) {
                Thread.sleep(5);
            }
            return node.add(groups, "key" + i, "home", 1);
        });
        int added = outcomes.size();
        do { // until the thread has nothing to do
            node.add(groups, "key" + added++, "home", 1);
        } while (alone.get() == 0);
        int all = added;

        assertThat(outcomes.stream().map(outcome -> ((Applied) outcome).value()))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, 400).boxed().toList());
        assertThat(values()).isEqualTo("home=" + all);
        await(() -> alone.get() + together.get() == all);
        assertThat(alone).hasPositiveValue();
        assertThat(together).hasPositiveValue();
    }

    @Test
    void theIncrementsOfAGroupWithAnUnknownNameGoAlone() throws Exception {
        execute(observer, "INSERT INTO page VALUES (1, 0), (3, 0)");
        GatheredGroups pages = new GatheredGroups(pageTable());
        List<Future<Outcome>> outcomes =
                List.of(pages.submit("unknown", "2"), pages.submit("first", "1"), pages.submit("second", "3"));
        pages.release();

        for (Future<Outcome> outcome : outcomes) {
            assertThat(outcome.get()).isEqualTo(Alone.WITH_CLAIM);
        }
    }

    /** Groups that begin once their callers have gathered. */
    private final class GatheredGroups {

        private final CountDownLatch gathered = new CountDownLatch(1);
        private final GroupCommit groups;
        private int callersSoFar;

        GatheredGroups(CounterTable table) throws SQLException {
            Connection connection = database.connect();
            groups = node.groups(table, () -> {
                gathered.await();
                return StrangeConnections.pooled(connection);
            });
        }

        Future<Outcome> submit(String key, String counter) throws InterruptedException {
            Future<Outcome> outcome = callers.submit(() -> node.add(groups, key, counter, 1));
            callersSoFar++;
            await(() -> groups.waiting() == callersSoFar);
            return outcome;
        }

        void release() {
            gathered.countDown();
        }
    }

    /** An interrupt would close the socket that it waits for. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void aVirtualThreadThatIsAloneLeavesTheCommitToAThreadOfFbf() throws Exception {
        Connection connection = database.connect();
        List<String> threads = new CopyOnWriteArrayList<>();
        GroupCommit groups = open(
                node.node,
                StrangeConnections.dataSource(() -> {
                    threads.add(Thread.currentThread().getName());
                    return StrangeConnections.pooled(connection);
                }),
                true,
                FbfDatabase.COUNTERS);
        opened.add(0, groups);
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();

        ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable)
                        () -> outcome.complete(node.add(groups, "key", "home", 1))))
                .join();

        assertThat(outcome).isCompletedWithValue(new Applied(1));
        assertThat(threads).containsExactly("fbf-group-test");
    }

    @Test
    void namesOfOneCounterMayDiffer() throws Exception {
        GroupCommit pages = pages("(1, 0)");

        List<Outcome> outcomes =
                together(IntStream.range(0, 30), i -> node.add(pages, "key" + i, "0".repeat(i % 3) + "1", 1));

        assertThat(outcomes.stream().map(outcome -> ((Applied) outcome).value()))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, 30).boxed().toList());
    }

    @Test
    void aKeyWithANondeterministicCollationIsRefused() throws Exception {
        execute(
                observer,
                "CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
        execute(observer, "CREATE TABLE folded (name text COLLATE folded PRIMARY KEY, views bigint NOT NULL)");
        try {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> CounterTable.of(observer, "folded", "name", "views"))
                    .withMessage("key=name: must have a deterministic collation in folded");
        } finally {
            execute(observer, "DROP TABLE folded; DROP COLLATION folded");
        }
    }

    @Test
    void nodesAndTransactionsThatLockRowsInAnyOrderNeverWaitForOneAnotherInACircle() throws Exception {
        execute(observer, "ALTER TABLE page DROP CONSTRAINT page_views_check");
        GroupCommit pages = pages("(1, 0), (2, 0), (3, 0)");
        TestNode other = new TestNode("b");
        GroupCommit others = other.groups(pageTable());
        String before = deadlocks();
        AtomicBoolean counted = new AtomicBoolean();
        Future<Integer> own = callers.submit(() -> {
            Connection tx = database.begin();
            int transactions = 0;
            while (!counted.get()) {
                for (int page = 3; page > 0; page--) {
                    execute(tx, "UPDATE page SET views = views + 1 WHERE id = " + page);
                }
                tx.commit();
                transactions++;
            }
            return transactions;
        });

        List<Outcome> outcomes = together(IntStream.range(0, 600), i -> {
            String page = "" + (1 + i / 2 % 3);
            return i % 2 == 0 ? node.add(pages, "key" + i, page, 1) : other.add(others, "key" + i, page, 1);
        });
        counted.set(true);
        int transactions = own.get();

        long applied = outcomes.stream().filter(Applied.class::isInstance).count();
        assertThat(applied).isPositive();
        assertThat(query(observer, "SELECT sum(views) FROM page")).isEqualTo("" + (applied + 3L * transactions));
        assertThat(deadlocks()).isEqualTo(before);
    }

    @Test
    void theWaitForARowLeavesTheConnectionAsItWas() throws Exception {
        execute(observer, "INSERT INTO page VALUES (1, 0)");
        Connection connection = database.connect();
        GroupCommit pages = node.groups(pageTable(), () -> StrangeConnections.pooled(connection));
        Connection tx = lock(1);
        Future<Outcome> locked = submit(() -> node.add(pages, "locked", "1", 1));
        database.awaitAWaiter();
        tx.commit();

        locked.get();
        await(() -> pages.waiting() == 0);
        assertThat(query(connection, "SHOW lock_timeout")).isEqualTo("10s");
    }

    @Test
    void whoAddsToSeveralCountersInATransactionLocksThemInTheOrderInWhichGroupsDo() throws Exception {
        execute(observer, "INSERT INTO page VALUES (9, 0), (10, 0)");
        CounterTable pages = pageTable();
        Connection nine = lock(9);
        Connection both = database.begin();
        Future<Map<String, Long>> values = callers.submit(() -> pages.addAll(both, Map.of("10", 1L, "9", 2L)));
        database.awaitAWaiter();

        execute(observer, "SELECT FROM page WHERE id = 10 FOR UPDATE NOWAIT");

        nine.commit();
        assertThat(values.get()).isEqualTo(Map.of("10", 1L, "9", 2L));
    }

    @Test
    void whoAddsToSeveralOfFbfsCountersLocksThemInTheOrderInWhichGroupsDo() throws Exception {
        execute(observer, "INSERT INTO fbf_counter (name, value) VALUES ('a', 0), ('b', 0)");
        Connection first = database.begin();
        FbfDatabase.COUNTERS.add(first, "a", 1);
        Connection both = database.begin();
        Map<String, Long> deltas = new LinkedHashMap<>();
        deltas.put("b", 1L);
        deltas.put("a", 1L);
        Future<Map<String, Long>> values = callers.submit(() -> FbfDatabase.COUNTERS.addAll(both, deltas));
        database.awaitAWaiter();

        execute(observer, "SELECT FROM fbf_counter WHERE name = 'b' FOR UPDATE NOWAIT");

        first.commit();
        assertThat(values.get()).isEqualTo(Map.of("a", 2L, "b", 1L));
        both.rollback();
    }

    private Connection lock(int page) throws SQLException {
        Connection tx = database.begin();
        execute(tx, "UPDATE page SET views = views WHERE id = " + page);
        return tx;
    }

    /** Stops all groups, in a transaction that adds 1. */
    protected static Connection lockTable() throws SQLException {
        Connection tx = database.begin();
        execute(tx, "LOCK TABLE fbf_counter");
        FbfDatabase.COUNTERS.add(tx, "home", 1);
        return tx;
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(1);
        }
    }

    @Test
    void whateverIsThrownEndsTheGroupAndNotThoseThatCome() throws Exception {
        execute(database.connect(), "INSERT INTO fbf_counter (name, value) VALUES ('home', 0)");
        Iterator<Connection> connections = List.of(
                        StrangeConnections.throwing(database.connect(), () -> new OutOfMemoryError("of a driver")),
                        StrangeConnections.throwing(database.connect(), () -> new IllegalStateException("of a pool")),
                        database.connect())
                .iterator();
        GroupCommit groups = node.groups(FbfDatabase.COUNTERS, connections::next);

        assertThat(node.add(groups, "first", "home", 1))
                .isInstanceOfSatisfying(
                        Unknown.class, unknown -> assertThat(unknown.reason()).hasMessage("of a driver"));
        assertThat(node.add(groups, "second", "home", 1))
                .isInstanceOfSatisfying(
                        Unknown.class, unknown -> assertThat(unknown.reason()).hasMessage("of a pool"));

        assertThat(node.add(groups, "third", "home", 1)).isEqualTo(new Applied(3));
    }

    protected final TestNode node() {
        return node;
    }

    protected final GroupCommit group() {
        return group;
    }

    protected final String values() throws SQLException {
        return query(observer, "SELECT string_agg(name || '=' || value, ',' ORDER BY name) FROM fbf_counter");
    }

    private CounterTable pageTable() throws SQLException {
        return CounterTable.of(observer, "page", "id", "views");
    }

    private GroupCommit pages(String rows) throws SQLException {
        execute(observer, "INSERT INTO page VALUES " + rows);
        return node.groups(pageTable());
    }

    private String deadlocks() throws SQLException {
        return requireNonNull(query(database.connect(), "SELECT sum(deadlocks) FROM pg_stat_database"));
    }

    /** What a caller is told of its increment. */
    public sealed interface Outcome {

        record Applied(long value) implements Outcome {}

        record Refused(Refusal why) implements Outcome {}

        /** Not applied: its caller goes on. */
        enum Alone implements Outcome {
            WITH_CLAIM,
            WITHOUT_CLAIM
        }

        record Failed(Throwable reason) implements Outcome {}

        record Unknown(@Nullable Throwable reason, @Nullable WitnessedTransaction transaction) implements Outcome {
            static final Unknown YET = new Unknown(null, null);
        }
    }

    public static Outcome told(@Nullable GroupedIncrement increment) {
        if (increment == null) {
            return Unknown.YET;
        }
        if (increment.goesAlone()) {
            return increment.claim().isHeld() ? Alone.WITH_CLAIM : Alone.WITHOUT_CLAIM;
        }
        Long value = increment.value();
        Refusal why = increment.refusal();
        Throwable reason = increment.reason();
        if (value != null) {
            return new Applied(value);
        }
        if (why == null) {
            return new Failed(requireNonNull(reason));
        }
        return why == Refusal.IN_DOUBT ? new Unknown(reason, increment.transaction()) : new Refused(why);
    }

    protected final Future<Outcome> submit(Callable<Outcome> call) {
        return callers.submit(call);
    }

    @FunctionalInterface
    protected interface Call {
        Outcome apply(int i) throws Exception;
    }

    protected final List<Outcome> together(IntStream numbers, Call call) throws Exception {
        List<Future<Outcome>> calls =
                numbers.mapToObj(i -> callers.submit(() -> call.apply(i))).toList();
        List<Outcome> outcomes = new ArrayList<>();
        for (Future<Outcome> each : calls) {
            outcomes.add(each.get());
        }
        return outcomes;
    }
}
