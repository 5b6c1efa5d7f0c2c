package dev.fbf.cassandra;

import static dev.fbf.cassandra.Callers.awaitReady;
import static dev.fbf.cassandra.Callers.id;
import static dev.fbf.cassandra.Callers.once;
import static dev.fbf.cassandra.Callers.value;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.internal.core.cql.EmptyColumnDefinitions;
import dev.fbf.core.CounterNameException;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.process.cassandra.Sessions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counters on a real node, as their callers see them. */
@Timeout(120)
class LaneCountersTest {

    private static final FilterPlan PLAN =
            new FilterSizing(1_000, Duration.ofMinutes(2), 1e-9, FilterSizing.UNLIMITED, true).plan();
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @RegisterExtension
    static final CassandraForTests cassandra = new CassandraForTests();

    private final List<LaneCounters> nodes = new ArrayList<>();
    private String scope;

    @BeforeEach
    void takeAScopeOfItsOwn(TestInfo test) {
        scope = test.getTestMethod().orElseThrow().getName();
    }

    @AfterEach
    void close() {
        nodes.forEach(LaneCounters::close);
    }

    private LaneCounters open() throws InterruptedException {
        return open(new LaneSettings(scope, PLAN), cassandra.session());
    }

    private LaneCounters open(LaneSettings settings, CqlSession session) throws InterruptedException {
        LaneCounters counters = new LaneCounters(session, settings);
        nodes.add(counters);
        awaitReady(counters);
        return counters;
    }

    private LaneSettings settings(int lanes, Consistency consistency, Duration request, Duration group, int maxClaims) {
        return new LaneSettings(scope, lanes, PLAN, consistency, request, group, maxClaims);
    }

    private LaneSettings withTimeouts(Duration request, Duration group) {
        return settings(1, Consistency.QUORUM, request, group, 10_000);
    }

    private LaneSettings withTwoLanes() {
        return settings(2, Consistency.QUORUM, Duration.ofSeconds(2), Duration.ofSeconds(5), 10_000);
    }

    private LaneSettings ofLocalQuorum() {
        return settings(1, Consistency.LOCAL_QUORUM, Duration.ofSeconds(2), Duration.ofSeconds(5), 10_000);
    }

    @Test
    void aNodeThatBeginsLaterKnowsTheOperationsAndTheirRequests() throws Exception {
        LaneCounters first = open();
        once(first, "key", 7L, "page", 1);
        once(first, "without a request", null, "page", 1);

        LaneCounters later = open();

        assertThat(later.admit(id("key"), null)).isEqualTo(Refusal.APPLIED);
        assertThat(later.filter().isOfAnotherRequest(id("key"), 7)).isFalse();
        assertThat(later.filter().isOfAnotherRequest(id("key"), 8)).isTrue();
        assertThat(later.admit(id("without a request"), null)).isEqualTo(Refusal.APPLIED);
        assertThat(value(once(later, "new", "page", 1))).isEqualTo(3);
    }

    @Test
    void noMoreOperationsAreUnderWayThanThereIsRoomFor() throws Exception {
        LaneCounters counters = open(
                settings(1, Consistency.QUORUM, Duration.ofSeconds(2), Duration.ofSeconds(5), 1), cassandra.session());
        counters.admit(id("one"), null);

        assertThat(counters.admit(id("two"), null)).isEqualTo(Refusal.NO_ROOM);
    }

    @Test
    void theLeaderCommitsTheOperationsOfOtherNodesAndEachCallerGetsItsOwnValue() throws Exception {
        Set<Long> values = ConcurrentHashMap.newKeySet();
        List<Callable<?>> callers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            open();
        }
        for (int caller = 0; caller < 12; caller++) {
            LaneCounters node = nodes.get(caller % 3);
            String name = "caller " + caller + ", ";
            callers.add(() -> {
                for (int i = 0; i < 40; i++) {
                    Map<String, Long> made =
                            requireNonNull(onceToBoth(node, name + i).values(), name + i);
                    long value = requireNonNull(made.get("page"));
                    assertThat(made).containsEntry("other", -2 * value);
                    values.add(value);
                }
                return null;
            });
        }

        Callers.together(callers);

        assertThat(values)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, 480).boxed().toList());
        assertThat(nodes.get(0).values(Set.of("page", "other"))).isEqualTo(Map.of("page", 480L, "other", -960L));
        LaneTable table = new LaneTable(cassandra.session(), new LaneSettings(scope, PLAN));
        List<GroupBlob> groups = new ArrayList<>();
        table.groups(0, 0, table.seq(0)).forEach(stored -> groups.add(stored.group()));
        assertThat(groups).anyMatch(group -> !group.added().isEmpty());
        assertThat(groups.stream().mapToInt(group -> group.operations().size()).sum())
                .isEqualTo(480);
    }

    private static LaneIncrement onceToBoth(LaneCounters node, String key) {
        return requireNonNull(node.apply((Claim) node.admit(id(key), null), Map.of("page", 1L, "other", -2L), TIMEOUT));
    }

    @Test
    void anIncrementThatWouldOverflowIsRefusedOnANodeThatForwardsIt() throws Exception {
        LaneCounters leader = open();
        LaneCounters follower = open();
        once(leader, "large", "full", Long.MAX_VALUE);
        AtomicBoolean ended = new AtomicBoolean();
        Callable<?> busy = () -> {
            for (int i = 0; !ended.get(); i++) {
                assertThat(once(leader, "busy " + i, "page", 1).values()).isNotNull();
            }
            return null;
        };
        Callable<?> overflowing = () -> {
            try {
                for (int i = 0; i < 5; i++) {
                    assertThat(once(follower, "fits " + i, "page", 1).values()).isNotNull();
                    assertThat(once(follower, "overflows " + i, "full", 1).reason())
                            .isInstanceOf(CounterRangeException.class);
                }
            } finally {
                ended.set(true);
            }
            return null;
        };

        Callers.together(List.of(busy, overflowing));

        assertThat(leader.values(Set.of("full"))).containsEntry("full", Long.MAX_VALUE);
    }

    @Test
    void responsesThatAreLostChangeNothing() throws Exception {
        try (TcpProxy proxy =
                TcpProxy.open("cassandra", List.of(CassandraForTests.address().getPort()), () -> Relay.PLAIN)) {
            LaneSettings settings = withTimeouts(Duration.ofMillis(500), Duration.ofSeconds(3));
            LaneCounters counters = open(settings, cassandra.sessionThrough(proxy.port()));
            proxy.loseResponses(0.03, 1);
            List<Callable<?>> callers = new ArrayList<>();
            for (int caller = 0; caller < 8; caller++) {
                String name = caller + ", ";
                callers.add(() -> {
                    for (int i = 0; i < 40; i++) {
                        Callers.untilApplied(nodes, name + i, "page", Duration.ofMillis(800));
                    }
                    return null;
                });
            }

            Callers.together(callers);

            proxy.heal();
            assertThat(proxy.responsesLost()).isPositive();
            assertThat(counters.values(Set.of("page"))).containsEntry("page", 320L);
        }
    }

    @Test
    void anIncrementThatWouldOverflowIsRefusedAlone() throws Exception {
        LaneCounters counters = open();
        once(counters, "large", "page", Long.MAX_VALUE);
        List<LaneIncrement> outcomes = new ArrayList<>();
        List<Callable<?>> callers = new ArrayList<>();
        for (int caller = 0; caller < 8; caller++) {
            String key = "caller " + caller;
            String counter = caller == 3 ? "page" : "other";
            callers.add(() -> {
                LaneIncrement outcome = once(counters, key, counter, 1);
                synchronized (outcomes) {
                    outcomes.add(outcome);
                }
                return null;
            });
        }

        Callers.together(callers);

        assertThat(outcomes)
                .filteredOn(outcome -> outcome.reason() instanceof CounterRangeException)
                .hasSize(1);
        assertThat(outcomes).filteredOn(outcome -> outcome.values() != null).hasSize(7);
        assertThat(counters.values(Set.of("other"))).containsEntry("other", 7L);
        assertThat(counters.values(Set.of("page"))).containsEntry("page", Long.MAX_VALUE);
        assertThat(counters.admit(id("caller 3"), null)).as("it is new again").isInstanceOf(Claim.class);
    }

    @Test
    void manyCountersWithLongNamesAreSplitIntoBatchesThatTheServerTakes() throws Exception {
        LaneCounters counters = open();
        List<Callable<?>> callers = new ArrayList<>();
        for (int caller = 0; caller < 100; caller++) {
            String name = caller + "\u20ac".repeat(LaneCounters.LONGEST_NAME - 2);
            callers.add(() -> {
                assertThat(value(once(counters, name + " a", name, 1))).isEqualTo(1);
                assertThat(value(once(counters, name + " b", name, 1))).isEqualTo(2);
                return null;
            });
        }

        Callers.together(callers);
    }

    @Test
    void whatCannotBeACounterOrAnIncrementIsRefused() throws Exception {
        LaneCounters counters = open();
        Claim claim = (Claim) counters.admit(id("key"), null);

        for (String name : List.of("", "a".repeat(10_000), "\ud800")) {
            assertThatExceptionOfType(CounterNameException.class)
                    .isThrownBy(() -> counters.apply(claim, Map.of(name, 1L), TIMEOUT))
                    .withMessageStartingWith("counter=");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> counters.apply(claim, Map.of("page", 0L), TIMEOUT))
                .withMessageContaining("delta=0");
        assertThat(claim.isHeld()).isTrue();
    }

    @Test
    void anOperationAddsToSeveralCountersOrToNone() throws Exception {
        LaneCounters counters = open();
        once(counters, "large", "b", Long.MAX_VALUE);

        LaneIncrement both = requireNonNull(
                counters.apply((Claim) counters.admit(id("1"), null), Map.of("a", 1L, "b", -1L), TIMEOUT));
        LaneIncrement none = requireNonNull(
                counters.apply((Claim) counters.admit(id("2"), null), Map.of("a", 1L, "b", 2L), TIMEOUT));

        assertThat(both.values()).isEqualTo(Map.of("a", 1L, "b", Long.MAX_VALUE - 1));
        assertThat(none.reason()).isInstanceOf(CounterRangeException.class);
        assertThat(counters.values(Set.of("a", "b"))).isEqualTo(Map.of("a", 1L, "b", Long.MAX_VALUE - 1));
    }

    @Test
    void aTimeToLiveOfTheTableChangesNoCounter() throws Exception {
        LaneCounters counters = open(withTwoLanes(), cassandra.session());
        cassandra.session().execute("ALTER TABLE fbf_lane WITH default_time_to_live = 100000");
        try {
            once(counters, "running", "page", 1);
            once(open(withTwoLanes(), cassandra.session()), "started", "page", 1);

            String where = " FROM fbf_lane WHERE scope = '" + scope + "' ALLOW FILTERING";
            assertThat(cassandra.session().execute("SELECT kind, seq, ttl(seq) AS left, ttl(value) AS kept" + where))
                    .isNotEmpty()
                    .allMatch(row -> row.isNull("left") && row.isNull("kept"));
        } finally {
            cassandra.session().execute("ALTER TABLE fbf_lane WITH default_time_to_live = 0");
        }
    }

    @Test
    void countersAreReadWhateverThePageSizeOfTheSession() throws Exception {
        try (CqlSession small = CqlSession.builder()
                .addContactPoint(CassandraForTests.address())
                .withLocalDatacenter("datacenter1")
                .withKeyspace(cassandra.keyspace())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withInt(DefaultDriverOption.REQUEST_PAGE_SIZE, 5)
                        .build())
                .build()) {
            LaneCounters counters = open(new LaneSettings(scope, PLAN), small);
            Map<String, Long> added = new TreeMap<>();
            for (int i = 0; i < 12; i++) {
                once(counters, "key" + i, "page" + i, i + 1);
                added.put("page" + i, i + 1L);
            }

            assertThat(counters.values(added.keySet())).isEqualTo(added);
            assertThat(open(new LaneSettings(scope, PLAN), small).admit(id("key0"), null))
                    .isEqualTo(Refusal.APPLIED);
        }
    }

    @Test
    void aLaneThatHasLostGroupsTakesNoMore() throws Exception {
        LaneCounters counters = open();
        once(counters, "1", "page", 1);
        once(counters, "2", "page", 1);
        cassandra.session().execute("DELETE FROM fbf_lane WHERE scope = '" + scope + "' AND lane = 0");

        LaneIncrement third = once(counters, "3", "page", 1);

        assertThat(third.refusal()).isEqualTo(Refusal.IN_DOUBT);
        assertThat(counters.failure()).hasMessageContaining("has 0 groups in Cassandra, but had 2");
        assertThat(counters.values(Set.of("page"))).isEmpty();
    }

    @Test
    void aLaneWithCountersAndWithoutGroupsIsNotOpened() throws Exception {
        once(open(), "1", "page", 1);
        cassandra.session().execute("DELETE seq FROM fbf_lane WHERE scope = '" + scope + "' AND lane = 0");

        LaneCounters later = new LaneCounters(cassandra.session(), new LaneSettings(scope, PLAN));
        nodes.add(later);
        while (later.failure() == null && later.isRecovering()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }

        assertThat(later.failure()).hasMessageContaining("a part of the table is lost");
        assertThat(later.admit(id("1"), null)).isEqualTo(Refusal.RECOVERING);
    }

    /** As a RetryPolicy does that ignores errors. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aResponseThatTheDriverHasMadeUpDecidesNothing(boolean ofReads) throws Exception {
        scope += ofReads;
        AtomicInteger ignored = new AtomicInteger();
        LaneCounters counters = open(new LaneSettings(scope, PLAN), sessionWhose((statement, itsExecution) -> {
            boolean isOfKind = ofReads ? statement instanceof BoundStatement : statement instanceof BatchStatement;
            return isOfKind && ignored.getAndDecrement() > 0 ? nothing() : itsExecution.call();
        }));
        once(counters, "1", "page", 1);
        once(open(), "2", "page", 1);
        ignored.set(1);

        assertThat(value(once(counters, "3", "page", 1))).isEqualTo(3);
        assertThat(ignored).hasValueLessThan(1);
        assertThat(counters.values(Set.of("page"))).containsEntry("page", 3L);
    }

    @Test
    void aGroupWhoseResponsesAreLostUntilItsTimeoutIsInDoubt() throws Exception {
        AtomicBoolean lost = new AtomicBoolean();
        LaneCounters counters = open(
                withTimeouts(Duration.ofMillis(500), Duration.ofMillis(100)),
                sessionWhose((statement, itsExecution) -> {
                    ResultSet result = itsExecution.call();
                    if (lost.get() && statement instanceof BatchStatement) {
                        throw new DriverTimeoutException("the response was lost");
                    }
                    return result;
                }));
        lost.set(true);
        LaneIncrement unknown = once(counters, "1", "page", 1);
        lost.set(false);

        assertThat(unknown.refusal()).isEqualTo(Refusal.IN_DOUBT);
        assertThat(counters.values(Set.of("page"))).containsEntry("page", 1L);
    }

    private interface Execution {
        ResultSet of(Object statement, Callable<ResultSet> itsExecution) throws Exception;
    }

    private CqlSession sessionWhose(Execution execution) {
        return (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (proxy, method, args) -> {
                    Callable<Object> call = () -> {
                        try {
                            return method.invoke(cassandra.session(), args);
                        } catch (InvocationTargetException e) {
                            throw (Exception) e.getCause();
                        }
                    };
                    boolean executes = method.getName().equals("execute") && args != null;
                    return executes ? execution.of(args[0], () -> (ResultSet) call.call()) : call.call();
                });
    }

    private static ResultSet nothing() {
        return (ResultSet) Proxy.newProxyInstance(
                ResultSet.class.getClassLoader(),
                new Class<?>[] {ResultSet.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "wasApplied" -> true;
                    case "one" -> null;
                    case "getColumnDefinitions" -> EmptyColumnDefinitions.INSTANCE;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Test
    void aScopeKeepsTheReplicasThatDecide() throws Exception {
        open();

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> open(ofLocalQuorum(), cassandra.session()))
                .withMessageContaining("a majority of all replicas, and")
                .withMessageContaining("the replicas in datacenter1")
                .withMessageContaining("AND lane = -1 AND kind = 3");

        cassandra.session().execute("DELETE FROM fbf_lane WHERE scope = '" + scope + "' AND lane = -1 AND kind = 3");
        open(ofLocalQuorum(), cassandra.session());
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(this::open)
                .withMessageContaining("a majority of the replicas in datacenter1, and");
    }

    @Test
    void eachLaneHasItsShareOfTheRangeSoThatSumsDoNotLeaveIt() throws Exception {
        LaneCounters counters = open(withTwoLanes(), cassandra.session());
        int fits = 0;
        for (int i = 0; i < 8; i++) {
            LaneIncrement outcome = once(counters, "key" + i, "page", Long.MAX_VALUE / 2);
            if (outcome.values() == null) {
                assertThat(outcome.reason()).isInstanceOf(CounterRangeException.class);
            } else {
                fits++;
            }
        }

        assertThat(fits).as("one for each lane").isEqualTo(2);
        assertThat(counters.values(Set.of("page"))).containsEntry("page", Long.MAX_VALUE / 2 * 2);
    }

    @Test
    void aClosedNodeCommitsWhatWaitsAndTakesNoMore() throws Exception {
        LaneCounters counters = open();
        Claim claim = (Claim) counters.admit(id("key"), null);
        counters.close();

        LaneIncrement late = requireNonNull(counters.apply(claim, Map.of("page", 1L), TIMEOUT));

        assertThat(late.refusal()).isEqualTo(Refusal.STOPPED);
        assertThat(counters.admit(id("other"), null)).isEqualTo(Refusal.STOPPED);
    }

    @Test
    void aKeyspaceWithoutTheTableIsRefused() throws Exception {
        String other = cassandra.keyspace() + "_other";
        cassandra
                .session()
                .execute("CREATE KEYSPACE " + other
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        try (CqlSession session = Sessions.toOnlyNode(CassandraForTests.address(), other)) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> LaneSchema.check(session))
                    .withMessageContaining("CREATE TABLE");
        }
        try (CqlSession session = Sessions.toOnlyNode(CassandraForTests.address(), null)) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> LaneSchema.create(session))
                    .withMessageContaining("keyspace");
        }
    }

    /** As after two nodes of the application have created the table at the same moment, as two tables. */
    @Test
    void nodesOfCassandraThatDisagreeOnTheTableAreRefused() {
        CqlSession disagreeing = (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(),
                new Class<?>[] {CqlSession.class},
                (proxy, method, args) -> method.getName().equals("checkSchemaAgreement")
                        ? false
                        : method.invoke(cassandra.session(), args));

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> new LaneCounters(disagreeing, new LaneSettings(scope, PLAN)))
                .withMessageContaining("have different schemas")
                .satisfies(failure -> assertThat(failure.action()).contains("fbf.cassandra.create-table=false"));
    }
}
