package dev.fbf.cassandra;

import static java.util.Objects.requireNonNull;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.fbf.core.StorageException;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replication of a keyspace, as relevant for lanes.
 *
 * @param keyspace its name, as in statements
 * @param durable whether its writes go to the commit log
 * @param local the data center of the node that this session is connected to
 */
record Replication(String keyspace, boolean durable, String local) {

    private static final Logger log = LoggerFactory.getLogger(Replication.class);

    /** Returns the replication of the session's keyspace. */
    static Replication of(CqlSession session) {
        CqlIdentifier keyspace = session.getKeyspace().orElseThrow();
        Row row = requireNonNull(session.execute(SimpleStatement.newInstance(
                        "SELECT durable_writes FROM system_schema.keyspaces WHERE keyspace_name = ?",
                        keyspace.asInternal()))
                .one());
        Row local = requireNonNull(
                session.execute("SELECT data_center FROM system.local").one());
        return new Replication(
                keyspace.asCql(true), row.getBoolean("durable_writes"), String.valueOf(local.getString("data_center")));
    }

    /**
     * Checks that killed nodes keep what they have committed.
     *
     * @throws StorageException if commits would be lost
     */
    void check() {
        if (!durable) {
            throw new StorageException(
                    "The keyspace " + keyspace + " has durable_writes = false: killed nodes would lose committed data.",
                    "ALTER KEYSPACE " + keyspace + " WITH durable_writes = true;");
        }
    }

    /** Describes the deciding replicas. */
    String deciding(Consistency consistency) {
        return consistency == Consistency.QUORUM ? "all replicas" : "the replicas in " + local;
    }

    /** Logs a warning about nodes that acknowledge writes before their commit logs have them. */
    static void checkCommitLogs(CqlSession session) {
        SimpleStatement setting =
                SimpleStatement.newInstance("SELECT value FROM system_views.settings WHERE name = 'commitlog_sync'");
        Set<String> late = new TreeSet<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            if (node.getOpenConnections() > 0) {
                try {
                    Row row = session.execute(setting.setNode(node)).one();
                    if (row != null && "periodic".equals(row.getString("value"))) {
                        late.add(node.getEndPoint().toString());
                    }
                } catch (DriverException e) {
                    log.debug("The settings of node {} cannot be read.", node, e);
                }
            }
        }
        if (!late.isEmpty()) {
            log.warn(
                    "The nodes {} of Cassandra acknowledge writes before their commit logs have them (commitlog_sync:"
                            + " periodic). A killed node loses the writes that it acknowledged in the last 100 ms, and"
                            + " more after a power failure: an increment is lost if another replica lacks it at that"
                            + " time. Set commitlog_sync: batch in cassandra.yaml.",
                    late);
        }
    }
}
