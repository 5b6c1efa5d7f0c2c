package dev.fbf.db.node;

import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NodeLeaseTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private boolean applying;

    @Test
    void anOperationThatIsAppliedWhenTheRegistryIsWrittenIsNoted() throws SQLException {
        try (NodeLease lease = new NodeLease(
                "database",
                StrangeConnections.dataSource(database::connect),
                FbfDatabase.TABLES,
                new NodeLease.Self(UUID.randomUUID(), UUID.randomUUID(), Set.of(), "test", false),
                NodeLease.RENEWAL,
                scope -> Duration.ofMinutes(10),
                scope -> Duration.ofMinutes(1),
                InstantSource.system(),
                scope -> applying)) {
            lease.register("views");
            assertThat(retriesFor()).isEqualTo("00:00:00");
            lease.end();
            assertThat(retriesFor()).isEqualTo("00:00:00");

            lease.resume();
            applying = true;
            lease.end();

            assertThat(retriesFor()).isEqualTo("00:10:00");
        }
    }

    private static String retriesFor() throws SQLException {
        return query(database.connect(), "SELECT retries_for FROM fbf_lease");
    }
}
