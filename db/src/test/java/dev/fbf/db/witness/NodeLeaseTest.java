package dev.fbf.db.witness;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(20)
class NodeLeaseTest {

    private static final UUID NODE = UUID.randomUUID();

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final NodeLease lease = open();
    private boolean applying;
    private boolean down;

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
    void operationsAreRefusedFromTheEndUntilItResumesAndTheLeaseHasEnded() throws SQLException {
        assertThat(lease.of("views").use()).isNull();
        assertThat(lease.admitsAll()).isTrue();

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

    /** Interrupted, it does not wait for that process to renew its lease. */
    @Test
    void aProcessThatMayNotApplyNamesTheOneThatDoes() {
        lease.register("views");
        try (NodeLease other = open()) {
            Thread.currentThread().interrupt();
            assertThat(other.register("views")).contains(NODE.toString());
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

    private NodeLease open() {
        return new NodeLease(
                "database",
                StrangeConnections.dataSource(() -> {
                    if (down) {
                        throw new SQLException("no route to host", "08001");
                    }
                    return database.connect();
                }),
                FbfDatabase.TABLES,
                new NodeLease.Self(NODE, UUID.randomUUID(), Set.of(), "test"),
                NodeLease.RENEWAL,
                scope -> Duration.ofMinutes(10),
                scope -> applying);
    }
}
