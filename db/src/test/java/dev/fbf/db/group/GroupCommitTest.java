package dev.fbf.db.group;

import static dev.fbf.db.group.GroupCommitContract.told;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.counter.CounterTable;
import dev.fbf.db.counter.UnknownCounterException;
import dev.fbf.db.group.GroupCommitContract.Outcome;
import dev.fbf.db.group.GroupCommitContract.Outcome.Applied;
import dev.fbf.db.group.GroupCommitContract.Outcome.Failed;
import dev.fbf.db.group.GroupCommitContract.Outcome.Refused;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What becomes of a group that cannot be applied as it is; without a database. */
@Timeout(20)
class GroupCommitTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestClaims claims = new TestClaims();

    /** The names of each group that was sent after a check, and whether it waited for its row. */
    private final List<String> tries = new CopyOnWriteArrayList<>();

    /** The names of each check. */
    private final List<String> checked = new CopyOnWriteArrayList<>();

    /** Whether each of them looked for locked rows. */
    private final List<Boolean> checkedForLocks = new CopyOnWriteArrayList<>();

    private final ExecutorService callers = Executors.newCachedThreadPool();

    /** What happens to a group that is sent at once; nothing was done if it throws. */
    private volatile Statement first = group -> failIf(true, "55P03");

    /** What happens to a group that is sent after a check. */
    private volatile Statement again = group -> {};

    /** The rows that a check finds locked. */
    private volatile Check check = () -> Set.of();

    /** The counters whose operations turn out to be duplicates. */
    private volatile Set<String> duplicates = Set.of();

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

    /** Finds locked rows. */
    private interface Check {
        Set<String> locked() throws SQLException;
    }

    @AfterEach
    void close() {
        groups.close();
        callers.shutdownNow();
    }

    @Test
    void whatCannotBeDoneIsFoundByHalves() throws Exception {
        again = group -> failIf(has(group, "bad"), "22003");

        List<Outcome> outcomes = together("a", "b", "c", "bad", "d", "e", "f");

        assertThat(outcomes).filteredOn(Applied.class::isInstance).hasSize(6);
        assertThat(outcomes.get(3))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).hasMessage("22003"));
        assertThat(tries).containsExactly("a b c bad d e f", "a b c", "bad d e f", "bad d", "bad", "d", "e f");
    }

    @Test
    void whatIsWrongWithAllIsNotTriedByHalves() throws Exception {
        again = group -> failIf(true, "42P01");

        assertThat(together("a", "b", "c")).hasSize(3).allMatch(Failed.class::isInstance);

        assertThat(tries).containsExactly("a b c");
    }

    @Test
    void aGroupThatFailsAndTheNext32AreChecked() throws Exception {
        List<String> unchecked = new CopyOnWriteArrayList<>();
        first = group -> {
            unchecked.add(namesOf(group));
            failIf(has(group, "new"), "23505");
        };

        assertThat(add("new")).isEqualTo(new Applied(1));
        for (int i = 0; i < 32; i++) {
            add("a");
        }
        assertThat(tries).hasSize(33);
        add("b");

        assertThat(checked).hasSize(33).doesNotContain("b");
        assertThat(checkedForLocks).as("no row was locked").containsOnly(false);
        assertThat(tries).isEqualTo(checked);
        assertThat(unchecked).containsExactly("new", "b");
    }

    @Test
    void duplicatesAreLeftOutAndTheOthersAreApplied() throws Exception {
        duplicates = Set.of("old");

        assertThat(together("a", "old", "b"))
                .containsExactly(new Applied(1), new Refused(Refusal.APPLIED), new Applied(1));

        assertThat(tries).containsExactly("a b");
    }

    @Test
    void whatTurnsOutToBeInTheWayWhenItIsSentAgainIsLeftOutThen() throws Exception {
        again = group -> {
            duplicates = Set.of("old");
            failIf(has(group, "old"), "23505");
        };

        assertThat(together("a", "old")).containsExactly(new Applied(1), new Refused(Refusal.APPLIED));

        assertThat(tries).containsExactly("a old", "a");
    }

    @Test
    void aCallerThatIsAloneCommitsForItself() throws Exception {
        letCallersCommit();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        first = group -> threads.add(Thread.currentThread());
        awaitIdle();

        assertThat(add("a")).isEqualTo(new Applied(1));

        assertThat(threads).containsExactly(Thread.currentThread());
    }

    @Test
    void whileACallerCommitsForItselfOthersWaitForTheThread() throws Exception {
        letCallersCommit();
        List<String> threads = new CopyOnWriteArrayList<>();
        CountDownLatch waiting = new CountDownLatch(1);
        first = group -> {
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
        check = () -> Set.of("locked");

        assertThat(add("locked")).isEqualTo(new Applied(1));

        assertThat(checked).containsExactly("locked");
        assertThat(tries).containsExactly("locked, waits");
    }

    @Test
    void aCallerWaitsForTheServerNoLongerThanItsTimeout() throws Exception {
        letCallersCommit();
        awaitIdle();
        List<Integer> limits = new CopyOnWriteArrayList<>();
        first = group -> limits.add(networkTimeout);

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
        first = group -> limits.add(networkTimeout);

        groups.apply(claims.increment("a", 1).claim(), null, "a", 1, Duration.ofMillis(999));
        awaitIdle();

        assertThat(limits).containsExactly(20_000);
    }

    @Test
    void anInterruptedCallerDoesNotBeginToCommitForItself() throws Exception {
        letCallersCommit();
        awaitIdle();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        first = group -> threads.add(Thread.currentThread());

        Thread.currentThread().interrupt();
        add("a");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(threads).doesNotContain(Thread.currentThread());
    }

    @Test
    void aRowThatWasFoundLockedIsNotSentUnchecked() throws Exception {
        List<String> unchecked = new CopyOnWriteArrayList<>();
        first = group -> {
            unchecked.add(namesOf(group));
            failIf(true, "55P03");
        };
        check = () -> Set.of("locked");

        together("a", "locked");
        add("b");

        assertThat(unchecked).containsExactly("a locked");
        assertThat(tries).containsExactly("a", "locked, waits", "b");
        assertThat(checkedForLocks).containsExactly(true, true);
    }

    @ParameterizedTest
    @CsvSource({"3, true", "4, false"})
    void isTriedFourTimesIfOthersAreInTheWay(int conflicts, boolean applied) throws Exception {
        again = group -> failIf(tries.size() <= conflicts, "40001");

        assertThat(together("a", "b"))
                .containsOnly(applied ? new Applied(1) : new Refused(Refusal.CONFLICT))
                .hasSize(2);

        assertThat(tries).hasSize(4);
    }

    @Test
    void whatTakesTooLongIsNotTriedAgain() throws Exception {
        again = group -> failIf(true, "57014");

        assertThat(together("a", "b")).containsOnly(new Refused(Refusal.CONFLICT));

        assertThat(tries).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"55P03", "57014"})
    void aGroupThatCannotBeCheckedInTimeIsNotTried(String state) throws Exception {
        check = () -> failIf(true, state);

        assertThat(together("a", "b")).containsOnly(new Refused(Refusal.CONFLICT));

        assertThat(checked).hasSize(1);
        assertThat(tries).isEmpty();
    }

    @Test
    void aGroupThatCannotBeCheckedFailsForThatReason() throws Exception {
        check = () -> failIf(true, "42501");

        assertThat(together("a", "b"))
                .allSatisfy(outcome -> assertThat(((Failed) outcome).reason()).hasMessage("42501"));

        assertThat(tries).isEmpty();
    }

    @Test
    void aCheckIsTriedAgainIfOthersAreInTheWay() throws Exception {
        check = () -> failIf(checked.size() < 4, "40001");

        assertThat(together("a", "b")).containsOnly(new Applied(1));
    }

    @Test
    void anOperationThatAnotherNodeEntersAfterTheCheckIsCheckedAgain() throws Exception {
        again = group -> failOfEntryIf(checked.size() < 3);

        assertThat(together("a")).containsOnly(new Applied(1));
    }

    @Test
    void anOperationThatOthersEnterAfterEachCheckIsInProgress() throws Exception {
        again = group -> failOfEntryIf(true);

        assertThat(together("a", "b")).containsOnly(new Refused(Refusal.IN_PROGRESS));
    }

    private static void failOfEntryIf(boolean fails) throws SQLException {
        if (fails) {
            throw new PSQLException(new ServerErrorMessage("SERROR\0C23505\0tfbf_ledger\0"));
        }
    }

    @Test
    void aRowThatIsLockedInAGroupThatWasNotCheckedForThatIsFoundThen() throws Exception {
        first = group -> failIf(true, "23505");
        check = () -> Set.of("locked");
        again = group -> failIf(tries.size() == 1, "55P03");

        assertThat(together("a", "locked")).containsOnly(new Applied(1));

        assertThat(checkedForLocks).containsExactly(false, true);
        assertThat(tries).containsExactly("a locked", "a", "locked, waits");
    }

    /** As that of a counter that another transaction is creating. */
    @Test
    void aLockThatNoCheckFindsIsFoundByHalvesAndWaitedForApartFromTheOthers() throws Exception {
        again = group -> failIf(has(group, "locked") && tries.size() < 4, "55P03");

        assertThat(together("a", "b", "locked", "locked")).containsOnly(new Applied(1));

        assertThat(tries).containsExactly("a b locked locked", "a b", "locked locked", "locked locked, waits");
    }

    @ParameterizedTest
    @ValueSource(strings = {"55P03", "40001"})
    void whenARowIsWaitedForInVainTheOthersAreTriedAtOnceAndTheRowAgainLater(String state) throws Exception {
        check = () -> checked.size() == 1 ? Set.of("locked", "free") : Set.of();
        again = group -> waitInVainAtFirst(state);

        assertThat(together("free", "locked")).containsOnly(new Applied(1));

        assertThat(tries).containsExactly("locked, waits", "free", "locked");
    }

    /** Takes 50 ms: the row is not waited for again for 64 times as long. */
    private void waitInVainAtFirst(String state) throws SQLException {
        if (tries.size() == 1) {
            LockSupport.parkNanos(50_000_000);
            failIf(true, state);
        }
    }

    @Test
    void namesThatAreNotThereAreFoundAtOnceAndTheOthersApplied() throws Exception {
        List<Outcome> outcomes = together("a", "unknown", "b", "unknown too");

        assertThat(outcomes)
                .extracting(outcome ->
                        outcome instanceof Failed failed ? failed.reason().getClass() : outcome)
                .containsExactly(
                        new Applied(1), UnknownCounterException.class, new Applied(1), UnknownCounterException.class);
        assertThat(checked).containsExactly("a b unknown unknown too");
        assertThat(tries).containsExactly("a b");
    }

    @Test
    void afterAnUnknownNameTheNext32GroupsAreCheckedBeforeTheyAreSent() throws Exception {
        first = group -> failIf(has(group, "unknown"), "22P02");
        add("unknown");

        for (int i = 0; i < 16; i++) {
            add("a");
            add("unknown");
        }
        assertThat(checked).hasSize(33);
        assertThat(tries).hasSize(16).containsOnly("a");

        add("a");
        assertThat(checked).as("the 33rd").hasSize(33);
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
        check = () -> checked.size() == 1 ? Set.of("good", "bad") : Set.of();
        again = group -> failIf(has(group, "bad"), "22003");

        List<Outcome> outcomes = together("good", "bad");

        assertThat(outcomes.get(0)).isEqualTo(new Applied(1));
        assertThat(outcomes.get(1)).isInstanceOf(Failed.class);
        assertThat(tries).containsExactly("bad, waits", "bad", "good");
    }

    @Test
    void whileARowIsWaitedForAnotherMayTurnOutToBeLocked() throws Exception {
        check = () -> switch (checked.size()) {
            case 1 -> Set.of("a", "b");
            case 2 -> Set.of("a");
            default -> Set.of();
        };

        assertThat(together("a", "b")).containsOnly(new Applied(1));

        assertThat(tries).startsWith("b, waits").hasSize(2).last().asString().startsWith("a");
    }

    @Test
    void whateverIsThrownFailsTheGroupAndTheNextIsApplied() throws Exception {
        autoCommit = false;
        again = group -> {
            throw new IllegalStateException("mine");
        };
        assertThat(together("a", "b"))
                .allSatisfy(outcome -> assertThat(((Failed) outcome).reason()).hasMessage("mine"));
        awaitIdle();
        assertThat(autoCommit).isFalse();
        assertThat(networkTimeout).isZero();

        again = group -> {};
        assertThat(add("c")).isEqualTo(new Applied(1));
    }

    @Test
    void withoutAConnectionThoseOfLockedRowsFailAsWellAndNothingIsTriedAnyMore() throws Exception {
        check = () -> {
            connections = () -> {
                throw new SQLException("down", "08001");
            };
            return Set.of("locked");
        };

        assertThat(add("locked"))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).hasMessage("down"));

        assertThat(checked).containsExactly("locked");
        assertThat(tries).isEmpty();
        awaitIdle();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theConnectionCommitsByItselfMeanwhileAndWaitsNoLongerThan20Seconds(boolean before) throws Exception {
        autoCommit = before;
        List<Object> meanwhile = new ArrayList<>();
        again = group -> meanwhile.addAll(List.of(autoCommit, networkTimeout));

        add("a");
        awaitIdle();

        assertThat(meanwhile).containsExactly(true, 20_000);
        assertThat(autoCommit).isEqualTo(before);
        assertThat(networkTimeout).isZero();
    }

    @Test
    void nothingIsSetOnAConnectionThatHasBeenClosed() throws Exception {
        autoCommit = false;
        again = group -> closed = true;

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
        public void commit(Connection connection, List<GroupedIncrement> group, Duration timeout, boolean isAgain)
                throws SQLException {
            if (isAgain) {
                tries.add(namesOf(group) + (timeout.compareTo(GroupCommit.CHECKED_WAIT) > 0 ? ", waits" : ""));
            }
            (isAgain ? again : first).execute(group);
            end(group);
        }

        @Override
        public CounterTable.Unavailable check(Connection connection, List<GroupedIncrement> group, boolean locks)
                throws SQLException {
            Set<String> names = new TreeSet<>(GroupedIncrement.counters(group));
            checked.add(String.join(" ", names));
            checkedForLocks.add(locks);
            Set<String> found = check.locked();
            Set<String> locked = locks ? found : Set.of();
            names.removeIf(name -> !name.startsWith("unknown"));
            for (GroupedIncrement increment : group) {
                if (duplicates.contains(increment.counter())) {
                    increment.claim().applied();
                    increment.done(null, Refusal.APPLIED, null, null);
                }
            }
            return new CounterTable.Unavailable(names, locked);
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
