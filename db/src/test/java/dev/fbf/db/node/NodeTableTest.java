package dev.fbf.db.node;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.node.NodeStanding.Right;
import dev.fbf.db.node.NodeTable.Before;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What nodes may do beside each other; the time that passes is taken off their rows. */
class NodeTableTest {

    @RegisterExtension
    static final FbfDatabase DATABASE = new FbfDatabase();

    private static final String SCOPE = "views";
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = DATABASE.connect();
    }

    @Test
    void theFirstNodeMayApplyOperations() throws SQLException {
        assertThat(filter().register().right()).isEqualTo(Right.APPLY);
    }

    @Test
    void aSecondNodeInFilterModeMayNotAndLearnsOfTheFirst() throws SQLException {
        TestNode first = filter();
        first.register();

        NodeStanding second = filter().register();

        assertThat(second.right()).isEqualTo(Right.NONE);
        assertThat(second.other()).isNotNull().extracting(OtherNode::id).isEqualTo(first.id);
        assertThat(first.renew()).containsExactly(SCOPE);
    }

    @Test
    void nodesOfOtherScopesDoNotMatter() throws SQLException {
        filter().table.register(connection, "others", WINDOW, Before.NOTHING, false, unseen());

        assertThat(filter().register().right()).isEqualTo(Right.APPLY);
    }

    @Test
    void nodesThatShareTheLedgerMayApplyOperationsTogether() throws SQLException {
        TestNode first = ledger();

        assertThat(first.register().right()).isEqualTo(Right.APPLY);
        assertThat(ledger().register().right()).isEqualTo(Right.APPLY);
        assertThat(first.renew()).containsExactly(SCOPE);
    }

    @Test
    void aNodeOfTheOtherModeMayNot() throws SQLException {
        filter().register();
        assertThat(ledger().register().right()).isEqualTo(Right.NONE);
    }

    @Test
    void norMayAFilterBesideALedger() throws SQLException {
        ledger().register();
        assertThat(filter().register().right()).isEqualTo(Right.NONE);
    }

    @Test
    void aNodeThatReplacesAKilledOneHoldsBackUntilNoRetryOfItsOperationsCanCome() throws SQLException {
        filter().register();
        pass(NodeTable.LEASE);

        TestNode next = filter();
        assertThat(next.register().right()).isEqualTo(Right.HOLD_BACK);
        assertThat(next.register().holdBack()).isBetween(WINDOW.minusSeconds(5), WINDOW);
        assertThat(next.renew()).isEmpty();

        pass(WINDOW);
        assertThat(next.register().right()).isEqualTo(Right.APPLY);
    }

    @Test
    void ofTwoReplacementsOnlyTheFirstWaits() throws SQLException {
        filter().register();
        pass(NodeTable.LEASE);

        TestNode next = filter();
        next.register();
        assertThat(filter().register().right()).isEqualTo(Right.NONE);
        assertThat(next.register().right()).isEqualTo(Right.HOLD_BACK);
    }

    @Test
    void aNodeThatEndedHoldsUpTheNextOneSinceItsLastOperationOnly() throws SQLException {
        TestNode first = filter();
        first.register();
        first.applied();
        pass(Duration.ofMinutes(4));
        first.end();

        assertThat(filter().register().holdBack()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
    }

    @Test
    void aNodeThatEndedWithoutAnOperationHoldsUpNobody() throws SQLException {
        TestNode first = filter();
        first.register();
        first.end();

        assertThat(filter().register().right()).isEqualTo(Right.APPLY);
    }

    @Test
    void aNodeThatIsStartedAgainWithItsDirectoryWaitsForNothing() throws SQLException {
        TestNode first = filter();
        first.register();

        assertThat(startedAgain(first).register().right()).isEqualTo(Right.APPLY);
    }

    @Test
    void itsOperationsBeforeTheStartAreNotForgottenWhenItIsGone() throws SQLException {
        TestNode first = filter();
        first.register();
        TestNode again = startedAgain(first);
        again.register();
        again.end();

        assertThat(filter().register().right()).isEqualTo(Right.HOLD_BACK);
    }

    @Test
    void aCopyOfADirectoryIsRefusedWhileTheProcessWithTheOriginalIsAlive() throws SQLException {
        TestNode copied = filter();
        TestNode first = startedAgain(copied);
        first.register();

        assertThat(startedAgain(copied).register().right()).isEqualTo(Right.NONE);

        assertThat(first.renew()).containsExactly(SCOPE);
        pass(NodeTable.LEASE);
        assertThat(startedAgain(copied).register().right())
                .as("when it is gone")
                .isEqualTo(Right.APPLY);
    }

    /** It cannot be told from the next process with the original, until that renews its lease. */
    @Test
    void aCopyOfTheDirectoryOfALiveProcessIsRefusedAsSoonAsThatRenewsItsLease() throws SQLException {
        TestNode first = filter();
        first.register();
        TestNode copy = startedAgain(first);
        assertThat(copy.register().right()).isEqualTo(Right.APPLY);

        assertThat(first.renew()).isEmpty();
        assertThat(first.registerAgain().right()).isEqualTo(Right.APPLY);
        assertThat(copy.renew()).isEmpty();
        assertThat(copy.registerAgain().right()).isEqualTo(Right.NONE);
        assertThat(first.renew()).containsExactly(SCOPE);
    }

    @Test
    void aProcessThatSleptDoesNotTakeItsNameBackFromAnother() throws SQLException {
        TestNode first = filter();
        first.register();
        pass(NodeTable.LEASE);
        TestNode copy = new TestNode(first.id, Set.of(), false);
        assertThat(copy.register().right()).isEqualTo(Right.APPLY);

        assertThat(first.register(Before.LAPSED).right()).isEqualTo(Right.NONE);
        assertThat(copy.renew()).containsExactly(SCOPE);
    }

    @Test
    void aNodeThatSleptIsLetInAgainIfNobodyTookOver() throws SQLException {
        TestNode first = filter();
        first.register();
        pass(Duration.ofHours(1));

        assertThat(first.renew()).isEmpty();
        assertThat(first.registerAgain().right()).isEqualTo(Right.APPLY);
    }

    @Test
    void aNodeThatSleptGivesWayToTheOneThatTookOver() throws SQLException {
        TestNode first = filter();
        first.register();
        pass(NodeTable.LEASE.plus(WINDOW));
        TestNode next = filter();
        assertThat(next.register().right()).isEqualTo(Right.APPLY);

        assertThat(first.renew()).isEmpty();
        assertThat(first.registerAgain().right()).isEqualTo(Right.NONE);
        assertThat(next.renew()).containsExactly(SCOPE);
    }

    @Test
    void aNodeThatSleptGoesOnBeforeOneThatOnlyWaits() throws SQLException {
        TestNode first = filter();
        first.register();
        pass(NodeTable.LEASE);
        TestNode next = filter();
        next.register();

        assertThat(first.registerAgain().right()).isEqualTo(Right.APPLY);
        assertThat(next.registerAgain().right()).isEqualTo(Right.NONE);
    }

    @Test
    void aLedgerHoldsBackForAFilterThatIsGone() throws SQLException {
        TestNode first = filter();
        first.register();
        first.applied();
        first.end();

        assertThat(ledger().register().right()).isEqualTo(Right.HOLD_BACK);
    }

    @Test
    void ofManyThatBeginAtTheSameTimeOneMayApplyOperations() throws Exception {
        List<CompletableFuture<Right>> all = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> {
                    try {
                        return filter().table
                                .register(DATABASE.connect(), SCOPE, WINDOW, Before.NOTHING, false, unseen())
                                .right();
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                }))
                .toList();

        assertThat(all.stream().map(CompletableFuture::join).filter(Right.APPLY::equals))
                .hasSize(1);
    }

    @Test
    void rowsOfNodesThatAreLongGoneAreDeleted() throws SQLException {
        filter().register();
        pass(Duration.ofDays(2));
        filter().register();

        assertThat(query(connection, "SELECT count(*) FROM fbf_node")).isEqualTo("1");
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
        Map<UUID, Duration> lastApplied = new HashMap<>();
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
                if (running.admits(now)) {
                    UUID its = running.directory;
                    Duration at = now;
                    assertThat(lastApplied)
                            .as("step %d", step)
                            .allSatisfy((other, time) -> assertThat(
                                            other.equals(its) || at.minus(time).compareTo(WINDOW) >= 0)
                                    .isTrue());
                    lastApplied.put(its, now);
                    running.used = true;
                    applied++;
                }
            }
        }
        assertThat(applied).isPositive();
    }

    /** As the starter uses the table. */
    private final class SimulatedNode {

        UUID directory = UUID.randomUUID();
        boolean frozen;
        boolean used;

        private @Nullable TestNode process;
        private Set<UUID> earlierRuns = Set.of();
        private boolean registered;
        private boolean applies;
        private Duration since = Duration.ZERO;

        void start() {
            if (process == null) {
                process = new TestNode(directory, earlierRuns, false);
                earlierRuns = Set.of(process.run);
                registered = false;
                applies = false;
                used = false;
            }
        }

        void kill() {
            process = null;
        }

        void end() throws SQLException {
            if (process != null && !frozen) {
                process.table.end(connection, used ? List.of(SCOPE) : List.of());
                process = null;
            }
        }

        void loseDirectory() {
            if (process == null) {
                directory = UUID.randomUUID();
            }
        }

        void renew(Duration now) throws SQLException {
            if (process == null || frozen) {
                return;
            }
            List<String> uses = used ? List.of(SCOPE) : List.of();
            if (applies && process.table.renew(connection, List.of(SCOPE), uses).contains(SCOPE)) {
                used = false;
            } else {
                Before before = admits(now) ? Before.LEASE : registered ? Before.LAPSED : Before.NOTHING;
                NodeStanding standing = process.table.register(connection, SCOPE, WINDOW, before, used, unseen());
                registered |= standing.right() != Right.NONE;
                applies = standing.right() == Right.APPLY;
                used &= standing.right() == Right.NONE;
            }
            since = now;
        }

        boolean admits(Duration now) {
            return process != null && applies && now.minus(since).compareTo(NodeTable.LEASE) < 0;
        }
    }

    /** Whether the pool has switched autocommit off or not, nothing stays open. */
    @Test
    void autocommitMayBeOff() throws SQLException {
        connection.setAutoCommit(false);
        TestNode first = filter();
        first.register();
        first.renew();
        assertThat(DATABASE.isIdle(connection)).isTrue();

        connection = DATABASE.connect();
        assertThat(filter().register().right()).isEqualTo(Right.NONE);
    }

    private Duration pass(Duration time) throws SQLException {
        String interval = "interval '" + (time.toMillis() + 1) + " milliseconds'";
        execute(
                connection,
                "UPDATE fbf_node SET started_at = started_at - " + interval + ", seen_at = seen_at - " + interval
                        + ", applied_at = applied_at - " + interval);
        return time;
    }

    private static SeenRows unseen() {
        return new SeenRows(System::nanoTime);
    }

    private TestNode filter() {
        return new TestNode(UUID.randomUUID(), Set.of(), false);
    }

    private TestNode ledger() {
        return new TestNode(UUID.randomUUID(), Set.of(), true);
    }

    /** The next process with a node's directory, or with a copy that was made before the node began. */
    private TestNode startedAgain(TestNode node) {
        return new TestNode(node.id, Set.of(node.run), false);
    }

    private final class TestNode {

        final UUID id;
        final UUID run = UUID.randomUUID();
        final NodeTable table;

        TestNode(UUID id, Set<UUID> earlierRuns, boolean ledger) {
            this.id = id;
            table = new NodeTable(
                    FbfDatabase.TABLES,
                    new NodeLease.Self(id, run, earlierRuns, "a test's process", ledger),
                    InstantSource.system());
        }

        NodeStanding register() throws SQLException {
            return register(Before.NOTHING);
        }

        NodeStanding registerAgain() throws SQLException {
            return register(Before.LEASE);
        }

        NodeStanding register(Before before) throws SQLException {
            return table.register(connection, SCOPE, WINDOW, before, false, unseen());
        }

        Set<String> renew() throws SQLException {
            return table.renew(connection, List.of(SCOPE), List.of());
        }

        void applied() throws SQLException {
            table.renew(connection, List.of(SCOPE), List.of(SCOPE));
        }

        void end() throws SQLException {
            table.end(connection, List.of());
        }
    }

    @Test
    void tableIsFoundWhateverTheSearchPath() throws SQLException {
        Connection elsewhere = DATABASE.elsewhere();
        NodeTable nodes = new NodeTable(
                FbfDatabase.TABLES,
                new NodeLease.Self(UUID.randomUUID(), UUID.randomUUID(), Set.of(), "a test's process", false),
                InstantSource.system());
        NodeTable others = new NodeTable(
                FbfDatabase.TABLES,
                new NodeLease.Self(UUID.randomUUID(), UUID.randomUUID(), Set.of(), "another process", false),
                InstantSource.system());
        SeenRows seen = new SeenRows(System::nanoTime);
        nodes.check(elsewhere);

        assertThat(nodes.register(elsewhere, "scope", WINDOW, Before.NOTHING, true, seen)
                        .right())
                .isEqualTo(Right.APPLY);
        assertThat(nodes.renew(elsewhere, List.of("scope"), List.of("scope"))).containsExactly("scope");
        assertThat(others.register(elsewhere, "scope", WINDOW, Before.NOTHING, false, seen)
                        .right())
                .isEqualTo(Right.NONE);
        nodes.end(elsewhere, List.of());
        assertThat(others.register(elsewhere, "scope", WINDOW, Before.NOTHING, false, seen)
                        .right())
                .isEqualTo(Right.HOLD_BACK);
    }
}
