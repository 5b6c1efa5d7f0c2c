package dev.fbf.db.witness;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Standing;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What nodes may do beside each other; the time that passes is taken off their rows. */
class LeaseTableTest {

    @RegisterExtension
    static final FbfDatabase DATABASE = new FbfDatabase();

    private static final String SCOPE = NodeProcess.SCOPE;
    private static final Duration WINDOW = Duration.ofMinutes(10);

    @TempDir
    private Path temporary;

    private final List<TestNode> nodes = new ArrayList<>();
    private int directories;
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = DATABASE.connect();
    }

    @AfterEach
    void close() {
        nodes.forEach(TestNode::die);
    }

    @Test
    void aNodeThatReplacesAKilledOneHoldsBackUntilNoRetryOfItsOperationsCanCome() throws SQLException {
        filter().register();
        pass(LeaseTable.LEASE);

        TestNode next = filter();
        assertThat(next.register().reason()).isEqualTo(Refusal.HELD_BACK);
        assertThat(next.register().heldBackFor()).isBetween(WINDOW.minusSeconds(5), WINDOW);
        assertThat(next.renew()).isEmpty();

        pass(WINDOW);
        assertThat(next.register().reason()).isNull();
    }

    @Test
    void aProcessThatSleptWhileACopyWasUsedHoldsBack() throws SQLException {
        TestNode first = filter();
        first.register();
        TestNode copy = copyOf(first);
        pass(LeaseTable.LEASE);
        assertThat(copy.register().reason()).isNull();
        copy.assertAgrees();

        assertThat(first.renew()).isEmpty();
        assertThat(first.registerAgain().reason()).isEqualTo(Refusal.OTHER_NODE);
        assertThat(copy.renew()).containsExactly(SCOPE);
        pass(LeaseTable.LEASE);
        assertThat(first.registerAgain().reason()).as("when it is gone").isNull();
        first.assertHoldsBack();
    }

    @Test
    void anEarlierDatabaseIsNoticedAtTheStart() throws SQLException {
        TestNode first = filter();
        first.register();
        String earlier = beat();
        first.renew();
        execute(connection, "UPDATE fbf_lease SET beat = " + earlier);

        TestNode next = startedAgain(first);
        pass(LeaseTable.LEASE);
        assertThat(next.register().reason()).isNull();

        next.assertHasLostCommits();
        assertThat(next.renew()).containsExactly(SCOPE);
    }

    /** Nothing shows it: the operations since then are new. */
    @Test
    void aSnapshotOfDirectoryAndDatabaseAgreesWithItself() throws SQLException {
        TestNode first = filter();
        first.register();
        String beat = beat();
        TestNode snapshot = copyOf(first);
        first.renew();
        first.end();
        execute(connection, "UPDATE fbf_lease SET beat = " + beat);

        assertThat(snapshot.register().reason()).isNull();

        snapshot.assertAgrees();
        assertThat(snapshot.renew()).containsExactly(SCOPE);
    }

    @Test
    void aDatabaseWithoutARowIsAnother() throws SQLException {
        TestNode first = filter();
        first.register();
        execute(connection, "TRUNCATE fbf_lease, fbf_scope");

        assertThat(first.renew()).isEmpty();
        assertThat(first.registerAgain().reason()).isNull();

        first.assertHasLostCommits();
    }

    /** An old primary without its standby also lacks commits. */
    @Test
    void aDatabaseThatCannotCommitIsNotBelieved() throws SQLException {
        TestNode first = filter();
        first.register();
        execute(connection, "UPDATE fbf_lease SET beat = 1");
        Connection old = (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("commit")) {
                        throw new SQLException("no standby", "08006");
                    }
                    return method.invoke(connection, arguments);
                });

        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> first.process.register(old, false));

        first.assertAgrees();
        first.registerAgain();
        first.assertHasLostCommits();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProcessThatIsKilledDuringARenewalLeavesADirectoryThatAgrees(boolean hasCommitted) throws SQLException {
        TestNode killed = filter();
        killed.register();
        long intent = killed.process.scope.beat().intend(Long.parseLong(beat()));
        if (hasCommitted) {
            execute(connection, "UPDATE fbf_lease SET beat = " + intent);
        }

        TestNode next = startedAgain(killed);
        assertThat(next.register().reason()).isNull();

        next.assertAgrees();
        assertThat(next.renew()).containsExactly(SCOPE);
    }

    @Test
    void aScopeThatComesBackFromLedgerModeHasLostNothing() throws SQLException {
        TestNode first = filter();
        first.register();
        first.end();
        ledgerMode(WINDOW);
        execute(connection, "DELETE FROM fbf_lease");

        TestNode next = startedAgain(first);
        assertThat(next.register().reason()).isEqualTo(Refusal.HELD_BACK);

        next.assertAgrees();
    }

    /** Its files can agree with one row only. */
    @Test
    void aScopeOfASecondDatabaseIsRefusedThereAndTheFirstIsNotBlamed() throws SQLException {
        TestNode first = filter();
        first.register();
        execute(connection, "DELETE FROM fbf_lease");

        assertThat(first.process.registerInAnother(connection).text()).contains("in another database");

        first.assertAgrees();
    }

    private static String beat() throws SQLException {
        return query(DATABASE.connect(), "SELECT beat FROM fbf_lease");
    }

    @Test
    void aNodeThatSleptIsLetInAgainIfNobodyTookOver() throws SQLException {
        TestNode first = filter();
        first.register();
        pass(Duration.ofHours(1));

        assertThat(first.renew()).isEmpty();
        assertThat(first.registerAgain().reason()).isNull();
    }

    @Test
    void aNodeThatHasReadThatAScopeIsFreeGivesWayToTheOneThatTakesItMeanwhile() throws Exception {
        filter().process.registerIn("others", connection);

        assertRefusedWhileAnotherTakes("INSERT INTO fbf_lease"
                + " SELECT (jsonb_populate_record(lease, '{\"scope\": \"views\"}')).* FROM fbf_lease AS lease");
    }

    @Test
    void aNodeThatHasReadThatALeaseHasLapsedGivesWayToTheOneThatTakesItMeanwhile() throws Exception {
        TestNode first = filter();
        first.register();
        pass(WINDOW.plus(LeaseTable.LEASE));

        assertRefusedWhileAnotherTakes("UPDATE fbf_lease SET seen_at = clock_timestamp()");
    }

    private void assertRefusedWhileAnotherTakes(String sql) throws Exception {
        TestNode second = filter();
        try (Connection other = DATABASE.begin()) {
            execute(other, sql);
            CompletableFuture<Standing> standing = CompletableFuture.supplyAsync(() -> register(second));
            DATABASE.awaitAWaiter();
            other.commit();

            assertThat(standing.join().reason()).isEqualTo(Refusal.OTHER_NODE);
        }
    }

    private Standing register(TestNode node) {
        try {
            return node.register();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Nodes in filter mode with two directories, one of which is lost now and then, are started, stopped, killed and frozen in
     * any order. An operation may be applied only where the operations of the last window are known: in the directory that
     * all of them were applied with.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void inNoOrderOfStartsKillsAndLostDirectoriesIsARetryAppliedAgain(long seed) throws SQLException {
        Random random = new Random(seed);
        List<SimulatedNode> nodes = List.of(new SimulatedNode(), new SimulatedNode());
        Map<Path, Duration> lastApplied = new HashMap<>();
        Duration now = Duration.ZERO;
        int applied = 0;
        for (int step = 0; step < 400; step++) {
            SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
            switch (random.nextInt(12)) {
                case 0 -> node.kill();
                case 1 -> node.end();
                case 2 -> node.loseDirectory();
                case 3 -> node.frozen = !node.frozen;
                case 4, 5 -> node.start();
                case 6 -> now = now.plus(pass(Duration.ofMinutes(1 + random.nextInt(12))));
                case 7 -> now = now.plus(pass(Duration.ofSeconds(1 + random.nextInt(40))));
                default -> now = now.plus(pass(Duration.ofSeconds(2)));
            }
            for (SimulatedNode running : nodes) {
                running.renew(now);
                running.assertAgrees();
                if (running.admits(now)) {
                    Path its = running.directory;
                    Duration at = now;
                    assertThat(lastApplied)
                            .as("step %d", step)
                            .allSatisfy((other, time) -> assertThat(
                                            other.equals(its) || at.minus(time).compareTo(WINDOW) >= 0)
                                    .isTrue());
                    lastApplied.put(its, now);
                    applied++;
                }
            }
        }
        assertThat(applied).isPositive();
    }

    /** As the starter uses the table. */
    private final class SimulatedNode {

        Path directory = newDirectory();
        boolean frozen;

        private @Nullable TestNode process;
        private boolean started;
        private boolean applies;
        private Duration since = Duration.ZERO;

        void start() {
            if (process == null) {
                process = new TestNode(directory, false);
                started = false;
                applies = false;
            }
        }

        void kill() {
            if (process != null) {
                process.die();
                process = null;
            }
        }

        void end() throws SQLException {
            if (process != null && !frozen) {
                process.process.end(connection);
                kill();
            }
        }

        void loseDirectory() {
            if (process == null) {
                directory = newDirectory();
            }
        }

        void assertAgrees() {
            if (process != null) {
                process.assertAgrees();
            }
        }

        void renew(Duration now) throws SQLException {
            if (process == null || frozen) {
                return;
            }
            if (!applies || !process.process.renew(connection).contains(SCOPE)) {
                applies = process.process.register(connection, !started).reason() == null;
                started = true;
            }
            since = now;
        }

        boolean admits(Duration now) {
            return process != null && applies && now.minus(since).compareTo(LeaseTable.LEASE) < 0;
        }
    }

    private Duration pass(Duration time) throws SQLException {
        String interval = "interval '" + (time.toMillis() + 1) + " milliseconds'";
        execute(connection, "UPDATE fbf_lease SET seen_at = seen_at - " + interval);
        return time;
    }

    private TestNode filter() {
        return new TestNode(newDirectory(), false);
    }

    private Path newDirectory() {
        return temporary.resolve(Integer.toString(++directories));
    }

    /** The next process with a node's directory. */
    private TestNode startedAgain(TestNode node) {
        node.die();
        return new TestNode(node.process.directory, false);
    }

    private TestNode copyOf(TestNode node) {
        Path copy = newDirectory();
        node.process.copyTo(copy);
        return new TestNode(copy, true);
    }

    private final class TestNode {

        final NodeProcess process;

        TestNode(Path directory, boolean isOnCopy) {
            process = new NodeProcess(directory, isOnCopy, WINDOW);
            nodes.add(this);
        }

        Standing register() throws SQLException {
            return process.register(connection, true);
        }

        Standing registerAgain() throws SQLException {
            return process.register(connection, false);
        }

        Set<String> renew() throws SQLException {
            return process.renew(connection);
        }

        void end() throws SQLException {
            process.end(connection);
        }

        void die() {
            process.close();
        }

        void assertAgrees() {
            assertThat(process.scope.lostCommits()).isNull();
            assertThat(process.scope.heldBackFor()).isZero();
        }

        void assertHoldsBack() {
            assertThat(process.scope.heldBackFor()).isPositive();
        }

        void assertHasLostCommits() {
            assertThat(process.scope.lostCommits()).isNotNull();
            assertThat(process.scope.heldBackFor()).isZero();
        }
    }

    @Test
    void aNodeWhoseDirectoryKnowsTheOperationsGoesOnBesideOneThatWaits() throws SQLException {
        TestNode killed = filter();
        killed.register();
        pass(LeaseTable.LEASE);
        TestNode waiting = filter();
        waiting.register();

        assertThat(startedAgain(killed).register().reason()).isNull();
        assertThat(waiting.registerAgain().reason()).isEqualTo(Refusal.OTHER_NODE);
    }

    /** As the runbook says. */
    @Test
    void aNodeWaitsNoLongerIfAnOperatorHasEndedTheWait() throws SQLException {
        TestNode gone = filter();
        gone.register();
        pass(Duration.ofMinutes(1));
        TestNode waiting = filter();
        assertThat(waiting.register().reason()).isEqualTo(Refusal.HELD_BACK);

        execute(
                connection,
                "UPDATE fbf_lease SET ended = true, retry_window = interval '0' WHERE seen_at < now() - interval '1 minute'");
        assertThat(waiting.registerAgain().reason()).isNull();
        waiting.end();
        pass(WINDOW);
        TestNode back = startedAgain(gone);
        assertThat(back.register().reason()).isNull();
        back.assertAgrees();
    }

    @Test
    void ofSeveralThatWaitOneMayAndEachWaitsForTheSameTime() throws SQLException {
        filter().register();
        pass(LeaseTable.LEASE.plusMinutes(1));
        TestNode first = filter();
        assertThat(first.register().reason()).isEqualTo(Refusal.HELD_BACK);
        TestNode second = filter();
        assertThat(second.register().heldBackFor()).isLessThan(WINDOW.minusMinutes(1));
        pass(WINDOW);

        assertThat(second.registerAgain().reason()).isNull();
        assertThat(first.registerAgain().reason()).isEqualTo(Refusal.OTHER_NODE);
    }

    /** Its files have the operations of the longer window. */
    @Test
    void theWaitForANodeIsThatOfItsLongestWindow() throws SQLException {
        TestNode first = filter();
        first.register();
        execute(connection, "UPDATE fbf_lease SET retry_window = interval '1 hour'");
        TestNode again = startedAgain(first);
        again.register();
        again.end();

        assertThat(filter().register().heldBackFor()).isGreaterThan(WINDOW);
    }

    @Test
    void aStartTurnsAScopeInLedgerModeAndHoldsBackForAWindowAndAMinute() throws SQLException {
        ledgerMode(WINDOW.dividedBy(2));
        TestNode first = filter();

        Standing standing = first.register();

        assertThat(mode()).isEqualTo("filter");
        assertThat(standing.reason()).isEqualTo(Refusal.HELD_BACK);
        assertThat(standing.text()).contains("processes in ledger mode");
        assertThat(standing.heldBackFor()).isBetween(WINDOW.plusMinutes(1).minusSeconds(5), WINDOW.plusMinutes(1));
        passScope(WINDOW.plusMinutes(1));
        assertThat(first.registerAgain().reason()).isNull();
        assertThat(first.renew()).containsExactly(SCOPE);
    }

    @Test
    void theWaitIsThatOfTheLedgersWindowIfThatIsLonger() throws SQLException {
        ledgerMode(WINDOW.multipliedBy(2));

        assertThat(filter().register().heldBackFor()).isGreaterThan(WINDOW.multipliedBy(2));
    }

    /** A restart begins the wait anew neither with the same directory nor with another. */
    @Test
    void aRestartDuringTheWaitContinuesIt() throws SQLException {
        ledgerMode(WINDOW);
        TestNode first = filter();
        first.register();
        passScope(WINDOW.dividedBy(2));
        first.end();

        Standing again = startedAgain(first).register();
        assertThat(again.reason()).isEqualTo(Refusal.HELD_BACK);
        assertThat(again.heldBackFor()).isLessThan(WINDOW.dividedBy(2).plusMinutes(1));
        pass(LeaseTable.LEASE);
        assertThat(filter().register().heldBackFor())
                .isLessThan(WINDOW.dividedBy(2).plusMinutes(1));
    }

    @Test
    void aProcessNeverTakesAScopeBackFromLedgerModeLaterInItsLife() throws SQLException {
        TestNode node = filter();
        node.register();
        execute(connection, "DELETE FROM fbf_lease; UPDATE fbf_scope SET mode = 'ledger'");

        assertThat(node.renew()).isEmpty();
        assertThat(node.registerAgain().text()).contains("turned the scope to ledger mode");

        assertThat(mode()).isEqualTo("ledger");
        assertThat(query(connection, "SELECT count(*) FROM fbf_lease")).isEqualTo("0");
    }

    private String mode() throws SQLException {
        return query(connection, "SELECT mode FROM fbf_scope");
    }

    private void ledgerMode(Duration window) throws SQLException {
        execute(
                connection,
                "INSERT INTO fbf_scope VALUES ('" + SCOPE + "', 'ledger', '" + window + "')"
                        + " ON CONFLICT (scope) DO UPDATE SET mode = 'ledger', retry_window = excluded.retry_window");
    }

    private void passScope(Duration time) throws SQLException {
        execute(connection, "UPDATE fbf_scope SET held_until = held_until - interval '" + time + "'");
    }
}
