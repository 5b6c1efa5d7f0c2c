package dev.fbf.db.witness;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Standing;
import dev.fbf.db.StrangeConnections;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(20)
class NodeLeaseTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    @TempDir
    private Path temporary;

    private final List<Node> nodes = new ArrayList<>();
    private NodeLease lease;
    private boolean down;

    @BeforeEach
    void begin() {
        lease = open();
    }

    @AfterEach
    void close() {
        lease.close();
        nodes.forEach(Node::close);
    }

    @Test
    void operationsAreRefusedFromTheEndUntilItResumesAndTheLeaseHasEnded() throws SQLException {
        assertThat(lease.of("views").use()).isNull();
        assertThat(lease.obstacles()).isEmpty();

        lease.end();
        assertThat(lease.of("views").use()).isEqualTo(Refusal.STOPPED);
        assertThat(query(database.connect(), "SELECT ended FROM fbf_lease")).isEqualTo("t");

        lease.resume();
        assertThat(lease.of("views").use()).isNull();
        assertThat(query(database.connect(), "SELECT ended FROM fbf_lease")).isEqualTo("f");
        lease.close();
        lease.resume();
        assertThat(lease.of("views").use()).isEqualTo(Refusal.STOPPED);
    }

    @Test
    void aProcessThatMayNotApplyNamesTheOneThatDoes() {
        lease.register("views");
        try (NodeLease other = open()) {
            assertThat(other.register("views")).contains(nodes.get(0).id().toString());

            assertThat(other.of("views").use()).isEqualTo(Refusal.OTHER_NODE);
            assertThat(other.obstacles())
                    .singleElement()
                    .asString()
                    .startsWith("Scope views: operations are refused. Another process applies them: node "
                            + nodes.get(0).id());
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

        while (!lease.obstacles().isEmpty() && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aScopeThatHasTurnedToLedgerModeIsRefusedAndTheMessageSaysWhatToDo() throws SQLException {
        lease.register("views");
        execute(database.connect(), "DELETE FROM fbf_lease; UPDATE fbf_scope SET mode = 'ledger'");

        lease.end();
        lease.resume();

        assertThat(lease.of("views").use()).isEqualTo(Refusal.OTHER_NODE);
        assertThat(lease.obstacles())
                .containsExactly("Scope views: operations are refused. Another process has turned the scope to ledger"
                        + " mode. Stop this process; or restart it, to turn the scope back to filter mode (fbf.mode).");
        assertThat(query(database.connect(), "SELECT mode FROM fbf_scope")).isEqualTo("ledger");
    }

    /** It was refused at first, and the scope is in ledger mode when it asks again. */
    @Test
    void aProcessThatHasNeverHeldTheLeaseDoesNotTurnTheScopeLater() throws SQLException {
        try (NodeLease other = open()) {
            other.register("views");
            assertThat(lease.of("views").use()).isEqualTo(Refusal.OTHER_NODE);
            execute(database.connect(), "DELETE FROM fbf_lease; UPDATE fbf_scope SET mode = 'ledger'");

            lease.end();
            lease.resume();

            assertThat(lease.of("views").use()).isEqualTo(Refusal.OTHER_NODE);
            assertThat(query(database.connect(), "SELECT mode FROM fbf_scope")).isEqualTo("ledger");
        }
    }

    /** The monotonic clock stops while the host sleeps, and the wall clock may be set. */
    @ParameterizedTest
    @CsvSource({"0, 20, true", "20, 0, true", "0, 30, false", "30, 0, false", "0, -31, false"})
    void aLeaseLastsForItsTimeByBothClocks(long secondsOfMonotonic, long secondsOfWall, boolean isValid) {
        NodeLease.Moment now = NodeLease.Moment.now();
        NodeLease.ScopeLease views = lease.of("views");

        views.set(
                Standing.ADMITTED,
                new NodeLease.Moment(
                        now.nanos() - TimeUnit.SECONDS.toNanos(secondsOfMonotonic),
                        now.wallMillis() - TimeUnit.SECONDS.toMillis(secondsOfWall)));

        assertThat(views.use()).isEqualTo(isValid ? null : Refusal.UNCONFIRMED);
    }

    private NodeLease open() {
        Node node = Node.open(temporary.resolve(Integer.toString(nodes.size())), 1, false);
        nodes.add(node);
        int number = nodes.size() - 1;
        views(number);
        return new NodeLease(
                "database",
                StrangeConnections.dataSource(() -> {
                    if (down) {
                        throw new SQLException("no route to host", "08001");
                    }
                    return database.connect();
                }),
                FbfDatabase.TABLES,
                new NodeLease.Self(node.id(), UUID.randomUUID(), false, "test"),
                NodeLease.RENEWAL,
                scope -> views(number));
    }

    private ScopeClaims views(int node) {
        return nodes.get(node).scope("views", new FilterSizing(1, Duration.ofMinutes(10), 1e-3).plan());
    }
}
