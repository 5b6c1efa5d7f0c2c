package dev.fbf.sample.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.fbf.process.cassandra.CassandraCluster;
import dev.fbf.process.cassandra.CassandraNode;
import dev.fbf.process.cassandra.Sessions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A Cassandra node for this application alone, which ends with it. Its data stays. */
final class LocalCassandra {

    private static final String KEYSPACE = "sample";

    private LocalCassandra() {}

    /**
     * Starts the node.
     *
     * @param directory where it keeps its data, relative to the working directory
     * @return the properties with which Spring Boot connects to it
     */
    @SuppressWarnings("MustBeClosedChecker") // ended with this JVM
    static Map<String, Object> start(String directory) throws IOException, InterruptedException {
        System.out.println("Starting Cassandra in " + Path.of(directory).toAbsolutePath() + " ...");
        CassandraCluster cluster = CassandraCluster.start(
                Path.of(directory, "cassandra"), 1, List.of(), List.of("-XX:TieredStopAtLevel=1"));
        CassandraNode node = cluster.nodes().get(0);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (node.isRunning()) {
                node.stop();
            }
        }));
        InetSocketAddress address = node.address();
        try (CqlSession session = Sessions.toOnlyNode(address, null)) {
            session.execute("CREATE KEYSPACE IF NOT EXISTS " + KEYSPACE
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            session.execute("CREATE TABLE IF NOT EXISTS " + KEYSPACE
                    + ".unguarded_page (name text PRIMARY KEY, views counter)");
        }
        return Map.of(
                "spring.cassandra.contact-points",
                address.getHostString() + ":" + address.getPort(),
                "spring.cassandra.local-datacenter",
                Sessions.DATA_CENTER,
                "spring.cassandra.keyspace-name",
                KEYSPACE,
                "spring.cassandra.request.timeout",
                "10s");
    }
}
