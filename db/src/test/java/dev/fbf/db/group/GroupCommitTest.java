package dev.fbf.db.group;

import static dev.fbf.db.group.GroupCommitContract.told;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.counter.CounterTable;
import dev.fbf.db.counter.UnknownCounterException;
import dev.fbf.db.group.GroupCommit.Wait;
import dev.fbf.db.group.GroupCommitContract.Outcome;
import dev.fbf.db.group.GroupCommitContract.Outcome.Applied;
import dev.fbf.db.group.GroupCommitContract.Outcome.Failed;
import dev.fbf.db.group.GroupCommitContract.Outcome.Refused;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a group that cannot be applied as it is; without a database. */
@Timeout(20)
class GroupCommitTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestClaims claims = new TestClaims();

    /** The names of each group that was tried, and behind them that of the row that it waited for. */
    private final List<String> tries = new CopyOnWriteArrayList<>();

    /** The names that the database was asked for. */
    private final List<String> asked = new CopyOnWriteArrayList<>();

    private final ExecutorService callers = Executors.newCachedThreadPool();

    /** What happens to those that are tried optimistically; nothing was done if it throws. */
    private volatile Optimistic optimistic = group -> failIf(true, "55P03");

    private volatile Applier applier = (group, wait) -> Set.of();
    private volatile Callable<Connection> connections = this::connection;
    private volatile boolean autoCommit = true;
    private volatile boolean closed;
    private volatile int networkTimeout;
    private volatile boolean open;
    private volatile List<String> names = List.of();

    private GroupCommit groups = groups(FbfDatabase.COUNTERS);

    private GroupCommit groups(CounterTable counters) {
        return groups(false, counters);
    }

    private GroupCommit groups(boolean callersMayCommit, CounterTable counters) {
        return new GroupCommit(
                "test",
                StrangeConnections.dataSource(() -> connections.call()),
                callersMayCommit,
                counters,
                new Script());
    }

    private void letCallersCommit() {
        groups.close();
        groups = groups(true, FbfDatabase.COUNTERS);
    }

    /** Uses a table whose counters are not made. */
    private void useApplicationsTable() throws SQLException {
        groups.close();
        groups = groups(CounterTable.of(connection(), "page", "name", "views"));
        applier = (group, wait) -> Set.copyOf(group.stream()
                .map(GroupedIncrement::counter)
                .filter(counter -> counter.startsWith("unknown"))
                .toList());
    }

    /** Does something with a group, before it is applied. */
    private interface Applier {
        Set<String> locked(List<GroupedIncrement> group, @Nullable Wait wait) throws SQLException, InterruptedException;
    }

    /** Does something with a group, before it is applied optimistically. */
    private interface Optimistic {
        void apply(List<GroupedIncrement> group) throws SQLException;
    }

    @AfterEach
    void close() {
        groups.close();
        callers.shutdownNow();
    }

    @Test
    void whatCannotBeDoneIsFoundByHalves() throws Exception {
        applier = (group, wait) -> failIf(has(group, "bad"), "22003");

        List<Outcome> outcomes = together("a", "b", "c", "bad", "d", "e", "f");

        assertThat(outcomes).filteredOn(Applied.class::isInstance).hasSize(6);
        assertThat(outcomes.get(3))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).hasMessage("22003"));
        assertThat(tries).containsExactly("a b c bad d e f", "a b c", "bad d e f", "bad d", "bad", "d", "e f");
    }

    @Test
    void whatIsWrongWithAllIsNotTriedByHalves() throws Exception {
        applier = (group, wait) -> failIf(true, "42P01");

        assertThat(together("a", "b", "c")).hasSize(3).allMatch(Failed.class::isInstance);

        assertThat(tries).containsExactly("a b c");
    }

    @Test
    void aGroupIsAppliedOptimisticallyAndNothingElseIsTried() throws Exception {
        List<String> applied = new CopyOnWriteArrayList<>();
        optimistic = group -> applied.add(namesOf(group));

        assertThat(together("a", "b")).containsOnly(new Applied(1));

        assertThat(applied).containsExactly("a b");
        assertThat(tries).isEmpty();
    }

    @Test
    void aGroupThatFailsOptimisticallyAndTheNext32AreAppliedTheOtherWay() throws Exception {
        List<String> optimists = new CopyOnWriteArrayList<>();
        optimistic = group -> {
            optimists.add(namesOf(group));
            failIf(has(group, "new"), "23505");
        };

        assertThat(add("new")).isEqualTo(new Applied(1));
        for (int i = 0; i < 32; i++) {
            add("a");
        }
        assertThat(tries).hasSize(33);
        add("b");

        assertThat(tries).hasSize(33);
        assertThat(optimists).containsExactly("new", "b");
    }

    @Test
    void aCallerThatIsAloneCommitsForItself() throws Exception {
        letCallersCommit();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        optimistic = group -> threads.add(Thread.currentThread());
        awaitIdle();

        assertThat(add("a")).isEqualTo(new Applied(1));

        assertThat(threads).containsExactly(Thread.currentThread());
    }

    @Test
    void whileACallerCommitsForItselfOthersWaitForTheThread() throws Exception {
        letCallersCommit();
        List<String> threads = new CopyOnWriteArrayList<>();
        CountDownLatch waiting = new CountDownLatch(1);
        optimistic = group -> {
            threads.add(namesOf(group) + " by " + Thread.currentThread().getName());
            if (has(group, "first")) {
                waiting.countDown();
                while (groups.waiting() < 2 && !Thread.currentThread().isInterrupted()) {
                    Thread.onSpinWait();
                }
            }
        };
        awaitIdle();

        Future<Outcome> first = callers.submit(() -> add("first"));
        waiting.await();
        Future<Outcome> second = callers.submit(() -> add("second"));
        Future<Outcome> third = callers.submit(() -> add("second"));

        assertThat(List.of(first.get(), second.get(), third.get())).containsOnly(new Applied(1));
        assertThat(threads).hasSize(2).last().isEqualTo("second second by fbf-group-test");
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
    void aRowThatACallerFindsLockedIsTriedAgainByTheThread() throws Exception {
        letCallersCommit();
        awaitIdle();
        applier = (group, wait) -> tries.size() == 1 ? Set.of("locked") : Set.of();

        assertThat(add("locked")).isEqualTo(new Applied(1));

        assertThat(tries).containsExactly("locked", "locked, waits for locked");
    }

    @Test
    void aCallerWaitsForTheServerNoLongerThanItsTimeout() throws Exception {
        letCallersCommit();
        awaitIdle();
        List<Integer> limits = new CopyOnWriteArrayList<>();
        optimistic = group -> limits.add(networkTimeout);

        groups.apply(claims.increment("a", 1).claim(), null, "a", 1, Duration.ofSeconds(3));
        groups.apply(claims.increment("a", 1).claim(), null, "a", 1, LONG);

        assertThat(limits).containsExactly(3_000, 20_000);
        assertThat(networkTimeout).isZero();
    }

    @Test
    void aCallerWithAShortTimeoutLeavesItsIncrementToTheThreadWhoseConnectionStays() throws Exception {
        letCallersCommit();
        awaitIdle();
        List<Integer> limits = new CopyOnWriteArrayList<>();
        optimistic = group -> limits.add(networkTimeout);

        groups.apply(claims.increment("a", 1).claim(), null, "a", 1, Duration.ofMillis(999));
        awaitIdle();

        assertThat(limits).containsExactly(20_000);
    }

    @Test
    void anInterruptedCallerDoesNotBeginToCommitForItself() throws Exception {
        letCallersCommit();
        awaitIdle();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        optimistic = group -> threads.add(Thread.currentThread());

        Thread.currentThread().interrupt();
        add("a");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(threads).doesNotContain(Thread.currentThread());
    }

    @Test
    void aRowThatWasFoundLockedIsNotTriedOptimistically() throws Exception {
        List<String> optimists = new CopyOnWriteArrayList<>();
        optimistic = group -> {
            optimists.add(namesOf(group));
            failIf(true, "55P03");
        };
        applier = (group, wait) -> tries.size() == 1 ? Set.of("locked") : Set.of();

        together("a", "locked");

        assertThat(optimists).containsExactly("a locked");
        assertThat(tries).containsExactly("a locked", "a", "locked, waits for locked");
    }

    @ParameterizedTest
    @CsvSource({"3, true", "4, false"})
    void isTriedFourTimesIfOthersAreInTheWay(int conflicts, boolean applied) throws Exception {
        applier = (group, wait) -> failIf(tries.size() <= conflicts, "40001");

        assertThat(together("a", "b"))
                .containsOnly(applied ? new Applied(1) : new Refused(Refusal.CONFLICT))
                .hasSize(2);

        assertThat(tries).hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"55P03", "57014"})
    void whatTakesTooLongIsNotTriedAgain(String state) throws Exception {
        applier = (group, wait) -> failIf(true, state);

        assertThat(together("a", "b")).containsOnly(new Refused(Refusal.CONFLICT));

        assertThat(tries).hasSize(1);
    }

    @Test
    void oneThatConflictsIsNewAgain() throws Exception {
        GroupedIncrement increment = claims.increment("a", 1);
        applier = (group, wait) -> failIf(true, "57014");

        groups.apply(increment.claim(), null, "a", 1, LONG);

        assertThat(claims.retry(increment)).isInstanceOf(Claim.class);
    }

    @Test
    void aLockedRowIsWaitedForApartFromTheOthers() throws Exception {
        applier = (group, wait) -> wait == null && has(group, "locked") ? Set.of("locked") : Set.of();

        assertThat(together("a", "locked", "b")).containsOnly(new Applied(1));

        assertThat(tries).containsExactly("a locked b", "a b", "locked, waits for locked");
    }

    @ParameterizedTest
    @ValueSource(strings = {"55P03", "40001"})
    void whenARowIsWaitedForInVainTheOthersAreTriedAtOnceAndTheRowAgainLater(String state) throws Exception {
        applier = (group, wait) -> switch (tries.size()) {
            case 1 -> Set.of("locked", "free");
            case 2 -> failIf(true, state);
            default -> Set.of();
        };

        assertThat(together("free", "locked")).containsOnly(new Applied(1));

        assertThat(tries)
                .startsWith("free locked", "locked free, waits for locked", "free")
                .hasSize(4);
    }

    @Test
    void aRowThatWasWaitedForInVainIsTriedWithoutAWaitForSomeTime() throws Exception {
        applier = (group, wait) -> {
            if (wait == null) {
                return tries.size() == 1 ? Set.of("locked") : Set.of();
            }
            Thread.sleep(20); // of 64 times as long is said that it must not wait
            return failIf(true, "55P03");
        };

        assertThat(add("locked")).isEqualTo(new Applied(1));

        assertThat(tries).containsExactly("locked", "locked, waits for locked", "locked");
    }

    @Test
    void namesThatAreNotThereAreFoundAtOnceAndTheOthersApplied() throws Exception {
        useApplicationsTable();

        List<Outcome> outcomes = together("a", "unknown", "b", "unknown too");

        assertThat(outcomes)
                .extracting(outcome ->
                        outcome instanceof Failed failed ? failed.reason().getClass() : outcome)
                .containsExactly(
                        new Applied(1), UnknownCounterException.class, new Applied(1), UnknownCounterException.class);
        assertThat(tries).containsExactly("a unknown b unknown too", "a b");
        assertThat(asked).containsExactly("unknown unknown too");
    }

    @Test
    void afterAnUnknownNameNamesAreAskedForOnceBeforeTheyAreTriedForTheNext32Groups() throws Exception {
        useApplicationsTable();
        add("unknown");
        tries.clear();
        asked.clear();

        for (String counter : List.of("a", "a", "b", "unknown", "unknown", "a")) {
            add(counter);
        }
        assertThat(asked).containsExactly("a", "b", "unknown", "unknown");
        assertThat(tries).containsExactly("a", "a", "b", "a");

        for (int i = 1; i < 32; i++) {
            add("a");
        }
        add("unknown");
        assertThat(tries).as("the 33rd").endsWith("a", "unknown");
        asked.clear();
        add("a");
        assertThat(asked).as("anew").containsExactly("a");
    }

    @Test
    void aListenerIsToldHowManyOperationsAGroupHadAndHowLongItWaitedAndTook() throws Exception {
        List<Object> heard = new CopyOnWriteArrayList<>();
        groups.listen((size, waited, took) -> {
            assertThat(List.of(waited, took))
                    .allSatisfy(time -> assertThat(time).isBetween(Duration.ZERO, LONG));
            heard.add(size);
        });

        together("a", "b");
        awaitIdle();

        assertThat(heard).containsExactly(2);
    }

    @Test
    void whatFailsInAWaitFailsAsItDoesWithout() throws Exception {
        applier = (group, wait) -> {
            failIf(wait != null && has(group, "bad"), "22003");
            return tries.size() == 1 ? Set.of("good", "bad") : failIf(has(group, "bad"), "22003");
        };

        List<Outcome> outcomes = together("good", "bad");

        assertThat(outcomes.get(0)).isEqualTo(new Applied(1));
        assertThat(outcomes.get(1)).isInstanceOf(Failed.class);
        assertThat(tries).containsExactly("good bad", "bad good, waits for bad", "bad", "good");
    }

    @Test
    void whileARowIsWaitedForAnotherMayTurnOutToBeLocked() throws Exception {
        applier = (group, wait) -> switch (tries.size()) {
            case 1 -> Set.of("a", "b");
            case 2 -> Set.of("a");
            default -> Set.of();
        };

        assertThat(together("a", "b")).containsOnly(new Applied(1));

        assertThat(tries).startsWith("a b", "b a, waits for b", "b").hasSize(4);
    }

    @Test
    void whateverIsThrownFailsTheGroupAndTheNextIsApplied() throws Exception {
        applier = (group, wait) -> {
            throw new IllegalStateException("mine");
        };
        assertThat(together("a", "b"))
                .allSatisfy(outcome -> assertThat(((Failed) outcome).reason()).hasMessage("mine"));

        applier = (group, wait) -> Set.of();
        assertThat(add("c")).isEqualTo(new Applied(1));
    }

    @Test
    void withoutAConnectionThoseOfLockedRowsFailAsWellAndNothingIsTriedAnyMore() throws Exception {
        applier = (group, wait) -> {
            connections = () -> {
                throw new SQLException("down", "08001");
            };
            return Set.of("locked");
        };

        assertThat(add("locked"))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).hasMessage("down"));

        assertThat(tries).containsExactly("locked");
        awaitIdle();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theConnectionCommitsByItselfMeanwhileAndWaitsNoLongerThan20Seconds(boolean before) throws Exception {
        autoCommit = before;
        List<Object> meanwhile = new ArrayList<>();
        applier = (group, wait) -> {
            meanwhile.addAll(List.of(autoCommit, networkTimeout));
            return Set.of();
        };

        add("a");
        awaitIdle();

        assertThat(meanwhile).containsExactly(true, 20_000);
        assertThat(autoCommit).isEqualTo(before);
        assertThat(networkTimeout).isZero();
    }

    @Test
    void nothingIsSetOnAConnectionThatHasBeenClosed() throws Exception {
        autoCommit = false;
        applier = (group, wait) -> {
            closed = true;
            return Set.of();
        };

        add("a");
        awaitIdle();

        assertThat(autoCommit).isTrue();
        assertThat(networkTimeout).isEqualTo(20_000);
    }

    @Test
    void aListenerThatThrowsKeepsNobodyFromBeingApplied() throws Exception {
        groups.listen((size, waited, took) -> {
            throw new IllegalStateException("mine");
        });

        assertThat(add("a")).isEqualTo(new Applied(1));
        awaitIdle();
        assertThat(networkTimeout).isZero();
        assertThat(add("b")).isEqualTo(new Applied(1));
    }

    @Test
    void afterItIsClosedOperationsAreRefusedAndNewAgainAndTheThreadEnds() throws Exception {
        Thread thread = thread();
        assertThat(thread.isDaemon()).isTrue();
        GroupedIncrement increment = claims.increment("a", 1);

        groups.close();

        assertThat(told(groups.apply(increment.claim(), null, "a", 1, LONG))).isEqualTo(new Refused(Refusal.STOPPED));
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
        return told(groups.apply(claims.increment(counter, 1).claim(), null, counter, 1, LONG));
    }

    private final class Script implements GroupCommit.Applier {

        @Override
        public void applyOptimistically(Connection connection, List<GroupedIncrement> group, Duration timeout)
                throws SQLException {
            optimistic.apply(group);
            end(group);
        }

        @Override
        public Set<String> apply(Connection connection, List<GroupedIncrement> group, @Nullable Wait wait)
                throws SQLException {
            tries.add(namesOf(group) + (wait == null ? "" : ", waits for " + wait.counter()));
            Set<String> locked = locked(group, wait);
            if (locked.isEmpty()) {
                end(group);
            }
            return locked;
        }

        private void end(List<GroupedIncrement> group) {
            for (GroupedIncrement increment : group) {
                increment.claim().applied();
                increment.done(1L, null, null, null);
            }
        }
    }

    private static String namesOf(List<GroupedIncrement> group) {
        return String.join(" ", group.stream().map(GroupedIncrement::counter).toList());
    }

    private Set<String> locked(List<GroupedIncrement> group, @Nullable Wait wait) throws SQLException {
        try {
            return applier.locked(group, wait);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean has(List<GroupedIncrement> group, String counter) {
        return group.stream().anyMatch(increment -> increment.counter().equals(counter));
    }

    private static Set<String> failIf(boolean fails, String state) throws SQLException {
        if (fails) {
            throw new SQLException(state, state);
        }
        return Set.of();
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
            case "createArrayOf" -> {
                names = Stream.of((Object[]) arguments[1]).map(String::valueOf).toList();
                yield null;
            }
            case "prepareStatement" ->
                proxy(
                        PreparedStatement.class,
                        (its, none) -> its.equals("executeQuery") ? rows((String) arguments[0]) : null);
            case "close" -> {
                open = false;
                yield null;
            }
            default -> null;
        });
    }

    private ResultSet rows(String sql) {
        if (sql.contains("to_regclass")) {
            return proxy(ResultSet.class, (method, arguments) -> switch (method) {
                case "getString" -> arguments[0].equals(1) ? "text" : "bigint";
                case "getBoolean" -> arguments[0].equals(3);
                default -> true;
            });
        }
        asked.add(String.join(" ", names.stream().sorted().toList()));
        Iterator<Integer> missing = IntStream.range(0, names.size())
                .filter(i -> names.get(i).startsWith("unknown"))
                .mapToObj(i -> i + 1)
                .iterator();
        return proxy(ResultSet.class, (method, arguments) -> switch (method) {
            case "next" -> missing.hasNext();
            case "getInt" -> missing.next();
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
