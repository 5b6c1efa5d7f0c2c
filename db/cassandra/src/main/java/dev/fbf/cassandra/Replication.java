package dev.fbf.cassandra;

import static java.util.Objects.requireNonNull;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.fbf.core.StorageException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replication of a keyspace, as relevant for lanes.
 *
 * @param keyspace its name, as in statements
 * @param factors the number of replicas per data center; {@link #ANYWHERE} if the strategy does not use data centers
 * @param durable whether its writes go to the commit log
 * @param local the data center of the node that this session is connected to
 */
record Replication(String keyspace, Map<String, Integer> factors, boolean durable, String local) {

    static final String ANYWHERE = "";

    private static final Logger log = LoggerFactory.getLogger(Replication.class);

    /** The smallest number of replicas of which one may fail. */
    private static final int ENOUGH = 3;

    /** Returns the replication of the session's keyspace. */
    static Replication of(CqlSession session) {
        CqlIdentifier keyspace = session.getKeyspace().orElseThrow();
        Row row = requireNonNull(session.execute(SimpleStatement.newInstance(
                        "SELECT replication, durable_writes FROM system_schema.keyspaces WHERE keyspace_name = ?",
                        keyspace.asInternal()))
                .one());
        Row local = requireNonNull(
                session.execute("SELECT data_center FROM system.local").one());
        return new Replication(
                keyspace.asCql(true),
                factors(requireNonNull(row.getMap("replication", String.class, String.class))),
                row.getBoolean("durable_writes"),
                String.valueOf(local.getString("data_center")));
    }

    private static Map<String, Integer> factors(Map<String, String> options) {
        Map<String, Integer> factors = new TreeMap<>();
        options.forEach((name, value) -> {
            if (!name.equals("class")) {
                String replicas = value.replaceFirst("/.*", ""); // "3/1": one of three is transient
                factors.put(name.equals("replication_factor") ? ANYWHERE : name, Integer.parseInt(replicas));
            }
        });
        return factors;
    }

    /**
     * Warns if the loss of one node prevents a majority.
     *
     * @throws StorageException if commits would be lost
     */
    void check(Consistency consistency) {
        if (!durable) {
            throw new StorageException(
                    "The keyspace " + keyspace + " has durable_writes = false: killed nodes would lose committed data.",
                    "ALTER KEYSPACE " + keyspace + " WITH durable_writes = true;");
        }
        int replicas = replicas(consistency);
        if (replicas < ENOUGH) {
            log.warn(
                    "The keyspace {} has a replication factor of {}: commits fail while one node is down, and with a"
                            + " factor of 1, counters are lost with a node. If that matters, use {} or more.",
                    keyspace,
                    replicas,
                    ENOUGH);
        }
    }

    /** Returns the number of voting replicas. */
    private int replicas(Consistency consistency) {
        if (consistency == Consistency.QUORUM || factors.containsKey(ANYWHERE)) {
            return factors.values().stream().mapToInt(Integer::intValue).sum();
        }
        return factors.getOrDefault(local, 0);
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
