package dev.fbf.db.group;

import static dev.fbf.db.group.GroupCommitContract.told;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.group.GroupCommitContract.Outcome;
import dev.fbf.db.group.GroupCommitContract.Outcome.Alone;
import dev.fbf.db.group.GroupCommitContract.Outcome.Applied;
import dev.fbf.db.group.GroupCommitContract.Outcome.Failed;
import dev.fbf.db.group.GroupCommitContract.Outcome.Refused;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a group that cannot be applied as it is; without a database. */
@Timeout(20)
class GroupCommitTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final TestClaims claims = new TestClaims();

    /** The names of each group. */
    private final List<String> sent = new CopyOnWriteArrayList<>();

    private final ExecutorService callers = Executors.newCachedThreadPool();

    /** What happens to a group; nothing was done if it throws. */
    private volatile Statement statement = group -> {};

    private volatile Callable<Connection> connections = this::connection;
    private volatile boolean autoCommit = true;
    private volatile boolean closed;
    private volatile int networkTimeout;
    private volatile boolean open;

    private GroupCommit groups = groups(false);

    private GroupCommit groups(boolean callersMayCommit) {
        return new GroupCommit(
                "test",
                StrangeConnections.dataSource(() -> connections.call()),
                callersMayCommit,
                FbfDatabase.COUNTERS,
                new Script());
    }

    private void letCallersCommit() {
        groups.close();
        groups = groups(true);
    }

    /** Does something with a group, before it is applied. */
    private interface Statement {
        void execute(List<GroupedIncrement> group) throws SQLException;
    }

    @AfterEach
    void close() {
        groups.close();
        callers.shutdownNow();
    }

    @Test
    void aCounterThatFailsAloneAsWellIsInNoGroupForAWhile() throws Exception {
        statement = group -> failIf(has(group, "bad"), "22003");
        GroupedIncrement bad = addBy("bad");
        assertThat(groups.awaitTurn(bad, LONG)).isTrue();
        groups.endTurn(bad, false);

        assertThat(add("bad")).isEqualTo(Alone.WITH_CLAIM);
        assertThat(together("a", "b")).containsOnly(new Applied(1));

        assertThat(sent).containsExactly("bad", "a b");
    }

    @Test
    void aCounterThatSucceedsAloneJoinsGroupsAgain() throws Exception {
        statement = group -> failIf(has(group, "bad"), "22003");
        GroupedIncrement bad = addBy("bad");
        statement = group -> {};
        assertThat(groups.awaitTurn(bad, LONG)).isTrue();
        assertThat(add("bad")).as("before it has succeeded").isEqualTo(Alone.WITH_CLAIM);
        groups.endTurn(bad, true);

        assertThat(add("bad")).isEqualTo(new Applied(1));

        assertThat(sent).containsExactly("bad", "bad");
    }

    @Test
    void aCallerThatCannotCommitForItselfFailsAndTheNextMay() throws Exception {
        letCallersCommit();
        awaitIdle();
        connections = () -> {
            throw new SQLException("down", "08001");
        };
        assertThat(add("a"))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).hasMessage("down"));

        connections = this::connection;
        assertThat(add("a")).isEqualTo(new Applied(1));
    }

    @Test
    void aCallerWaitsForTheServerNoLongerThanItsTimeout() throws Exception {
        letCallersCommit();
        awaitIdle();
        List<Integer> limits = new CopyOnWriteArrayList<>();
        statement = group -> limits.add(networkTimeout);

        groups.apply(claims.increment("a", 1).claim(), "a", 1, Duration.ofSeconds(3));
        groups.apply(claims.increment("a", 1).claim(), "a", 1, LONG);

        assertThat(limits).containsExactly(3_000, 20_000);
        assertThat(networkTimeout).isZero();
    }

    @Test
    void aCallerWithAShortTimeoutLeavesItsIncrementToTheThreadWhoseConnectionStays() throws Exception {
        letCallersCommit();
        awaitIdle();
        List<Integer> limits = new CopyOnWriteArrayList<>();
        statement = group -> limits.add(networkTimeout);

        groups.apply(claims.increment("a", 1).claim(), "a", 1, Duration.ofMillis(999));
        awaitIdle();

        assertThat(limits).containsExactly(20_000);
    }

    @Test
    void anInterruptedCallerDoesNotBeginToCommitForItself() throws Exception {
        letCallersCommit();
        awaitIdle();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        statement = group -> threads.add(Thread.currentThread());

        Thread.currentThread().interrupt();
        add("a");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(threads).doesNotContain(Thread.currentThread());
    }

    @Test
    void whateverIsThrownFailsTheGroupAndTheNextIsApplied() throws Exception {
        autoCommit = false;
        statement = group -> {
            throw new IllegalStateException("mine");
        };
        assertThat(together("a", "b"))
                .allSatisfy(outcome -> assertThat(((Failed) outcome).reason()).hasMessage("mine"));
        awaitIdle();
        assertThat(autoCommit).isFalse();
        assertThat(networkTimeout).isZero();

        statement = group -> {};
        assertThat(add("c")).isEqualTo(new Applied(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theConnectionCommitsByItselfMeanwhileAndWaitsNoLongerThan20Seconds(boolean before) throws Exception {
        autoCommit = before;
        List<Object> meanwhile = new ArrayList<>();
        statement = group -> meanwhile.addAll(List.of(autoCommit, networkTimeout));

        add("a");
        awaitIdle();

        assertThat(meanwhile).containsExactly(true, 20_000);
        assertThat(autoCommit).isEqualTo(before);
        assertThat(networkTimeout).isZero();
    }

    @Test
    void afterItIsClosedOperationsAreRefusedAndNewAgainAndTheThreadEnds() throws Exception {
        Thread thread = thread();
        assertThat(thread.isDaemon()).isTrue();
        GroupedIncrement increment = claims.increment("a", 1);

        groups.close();

        assertThat(told(groups.apply(increment.claim(), "a", 1, LONG))).isEqualTo(new Refused(Refusal.STOPPED));
        assertThat(claims.retry(increment)).isInstanceOf(Claim.class);
        thread.join();
    }

    /** Adds 1 to each of these, in this order, in one group. */
    private List<Outcome> together(String... counters) throws Exception {
        CountDownLatch gathered = new CountDownLatch(1);
        connections = () -> {
            gathered.await();
            return connection();
        };
        List<Future<Outcome>> futures = new ArrayList<>();
        for (String counter : counters) {
            futures.add(callers.submit(() -> add(counter)));
            while (groups.waiting() < futures.size()) {
                Thread.sleep(1);
            }
        }
        gathered.countDown();
        List<Outcome> outcomes = new ArrayList<>();
        for (Future<Outcome> future : futures) {
            outcomes.add(future.get());
        }
        return outcomes;
    }

    private Outcome add(String counter) {
        return told(groups.apply(claims.increment(counter, 1).claim(), counter, 1, LONG));
    }

    private GroupedIncrement addBy(String counter) {
        GroupedIncrement increment = claims.increment(counter, 1);
        return requireNonNull(groups.apply(increment.claim(), counter, 1, LONG));
    }

    private final class Script implements GroupCommit.Applier {

        @Override
        public void commit(Connection connection, List<GroupedIncrement> group) throws SQLException {
            sent.add(namesOf(group));
            statement.execute(group);
            for (GroupedIncrement increment : group) {
                increment.claim().applied();
                increment.done(1L, null, null, null);
            }
        }
    }

    private static String namesOf(List<GroupedIncrement> group) {
        return String.join(" ", group.stream().map(GroupedIncrement::counter).toList());
    }

    private static boolean has(List<GroupedIncrement> group, String counter) {
        return group.stream().anyMatch(increment -> increment.counter().equals(counter));
    }

    private static void failIf(boolean fails, String state) throws SQLException {
        if (fails) {
            throw new SQLException(state, state);
        }
    }

    /** Returns when the connection was given back, and nothing is to be done. */
    private void awaitIdle() throws InterruptedException {
        while (open || thread().getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
    }

    private static Thread thread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("fbf-group-test"))
                .findAny()
                .orElseThrow();
    }

    /** To a database that has every counter but the unknown ones, and one table of the application's. */
    private Connection connection() {
        open = true;
        return proxy(Connection.class, (method, arguments) -> switch (method) {
            case "getNetworkTimeout" -> networkTimeout;
            case "setNetworkTimeout" -> {
                networkTimeout = (int) arguments[1];
                yield null;
            }
            case "getAutoCommit" -> autoCommit;
            case "setAutoCommit" -> {
                autoCommit = (boolean) arguments[0];
                yield null;
            }
            case "isClosed" -> closed;
            case "getMetaData" -> proxy(DatabaseMetaData.class, (its, none) -> "PostgreSQL");
            case "close" -> {
                open = false;
                yield null;
            }
            default -> null;
        });
    }

    private interface Handler {
        @Nullable Object call(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                GroupCommitTest.class.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> handler.call(method.getName(), arguments)));
    }
}
