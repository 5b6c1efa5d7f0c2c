package dev.fbf.db.node;

import static dev.fbf.db.FbfDatabase.query;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(20)
class NodeLeaseTest {

    private static final UUID NODE = UUID.randomUUID();

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final NodeLease lease = open(Duration.ZERO);
    private boolean applying;
    private boolean down;
    private Duration hostAhead = Duration.ZERO;

    @AfterEach
    void close() {
        lease.close();
    }

    @Test
    void anOperationThatIsAppliedWhenTheRegistryIsWrittenIsNoted() throws SQLException {
        lease.register("views");
        assertThat(retriesFor()).isEqualTo("00:00:00");
        lease.end();
        assertThat(retriesFor()).isEqualTo("00:00:00");

        lease.resume();
        applying = true;
        lease.end();

        assertThat(retriesFor()).isEqualTo("00:10:00");
    }

    private static String retriesFor() throws SQLException {
        return query(database.connect(), "SELECT retries_for FROM fbf_lease");
    }

    @Test
    void operationsAreRefusedFromTheEndUntilItResumesAndTheRegistryHasNoSuchProcess() throws SQLException {
        assertThat(lease.of("views").use()).isNull();
        assertThat(lease.admitsAll()).isTrue();

        lease.end();
        assertThat(lease.of("views").use()).isEqualTo(Refusal.STOPPED);
        assertThat(query(database.connect(), "SELECT count(*) FROM fbf_node")).isEqualTo("0");

        lease.resume();
        assertThat(lease.of("views").use()).isNull();
        assertThat(query(database.connect(), "SELECT count(*) FROM fbf_node")).isEqualTo("1");
        lease.close();
        lease.resume();
        assertThat(lease.of("views").use()).isEqualTo(Refusal.STOPPED);
    }

    /** Interrupted, it does not wait for that process to renew its lease. */
    @Test
    void aProcessThatMayNotApplyNamesTheOneThatDoes() {
        lease.register("views");
        try (NodeLease other = open(Duration.ZERO)) {
            Thread.currentThread().interrupt();
            assertThat(other.register("views")).contains(NODE.toString(), "filter mode");
            assertThat(Thread.interrupted()).isTrue();

            assertThat(other.of("views").use()).isEqualTo(Refusal.OTHER_NODE);
            assertThat(other.admitsAll()).isFalse();
            assertThat(other.obstacles())
                    .singleElement()
                    .asString()
                    .startsWith("Scope views: operations are refused. Another process applies them: node " + NODE);
        }
        assertThat(lease.obstacles()).isEmpty();
    }

    @Test
    void noOperationIsAdmittedBeforeTheDatabaseResponds() {
        down = true;
        assertThat(lease.register("views")).isNull();
        assertThat(lease.of("views").use()).isEqualTo(Refusal.UNCONFIRMED);
        assertThat(lease.obstacles())
                .containsExactly("Scope views: operations are refused until the database confirms in the registry of"
                        + " nodes that this process may apply them.");
        down = false;
        assertThat(lease.of("views").use()).as("the thread asks").isEqualTo(Refusal.UNCONFIRMED);

        lease.start();

        while (!lease.admitsAll() && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @CsvSource({"600, 600 s ahead of", "-600, 600 s behind"})
    void aHostWhoseClockIsFartherFromTheDatabasesThanOthersIsWrong(long ahead, String wrong) {
        lease.register("views");
        try (NodeLease other = open(Duration.ofSeconds(ahead))) {
            assertThat(other.clocks("likes")).as("not compared yet").isNull();
            other.register("likes");

            assertThat(requireNonNull(other.clocks("likes")).wrongBy())
                    .isCloseTo(Duration.ofSeconds(ahead), Duration.ofSeconds(5));
            assertThat(other.obstacles()).singleElement().asString().contains(wrong);
        }
        assertThat(requireNonNull(lease.clocks("views")).wrongBy()).isZero();
        hostAhead = Duration.ofMinutes(1);
        assertThat(lease.clocks("views")).as("it was set").isNull();
    }

    private NodeLease open(Duration ahead) {
        return new NodeLease(
                "database",
                StrangeConnections.dataSource(() -> {
                    if (down) {
                        throw new SQLException("no route to host", "08001");
                    }
                    return database.connect();
                }),
                FbfDatabase.TABLES,
                new NodeLease.Self(NODE, UUID.randomUUID(), Set.of(), "test", false),
                NodeLease.RENEWAL,
                scope -> Duration.ofMinutes(10),
                scope -> Duration.ofMinutes(1),
                () -> InstantSource.system().instant().plus(ahead).plus(hostAhead),
                scope -> applying);
    }
}
