package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.fbf.process.cassandra.CassandraCluster;
import dev.fbf.process.cassandra.Sessions;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A Cassandra node that all tests of this JVM share, and a keyspace for each class. Without a JDK 17 the tests are skipped. */
public final class CassandraForTests implements BeforeAllCallback, AfterAllCallback {

    private static final AtomicInteger keyspaces = new AtomicInteger();

    /** No test ends the node and starts it again: what it keeps of its own tables need not be in files at once. */
    private static final List<String> JVM = List.of(
            "-XX:TieredStopAtLevel=1",
            "-Dcassandra.unsafesystem=true",
            "-Dcassandra.test.flush_local_schema_changes=false");

    private static @Nullable CassandraCluster cluster;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final String keyspace = "test_" + ProcessHandle.current().pid() + "_" + keyspaces.incrementAndGet();

    private @Nullable CqlSession session;

    private static synchronized CassandraCluster cluster() throws Exception {
        if (cluster == null) {
            Path directory = Files.createTempDirectory(Path.of("target"), "cassandra");
            cluster = CassandraCluster.start(directory, 1, List.of(), JVM);
        }
        return cluster;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        Assumptions.assumeTrue(
                CassandraCluster.jdk().isPresent(), "Cassandra 5 needs a JDK 17, and there is none: tests are skipped");
        try (CqlSession session = Sessions.toOnlyNode(address(), null)) {
            session.execute(
                    "CREATE KEYSPACE " + keyspace
                            + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1} AND durable_writes = true");
        }
        session = Sessions.toOnlyNode(address(), keyspace);
        LaneSchema.create(session);
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
        if (session != null) {
            session.close();
        }
    }

    /** The session of the class. */
    public CqlSession session() {
        if (session == null) {
            throw new IllegalStateException("the class has not begun");
        }
        return session;
    }

    public String keyspace() {
        return keyspace;
    }

    public static InetSocketAddress address() throws Exception {
        return cluster().nodes().get(0).address();
    }

    /** A session whose connections all go through a proxy; closed after the class. */
    CqlSession sessionThrough(int port) throws Exception {
        CqlSession through = Sessions.through(Map.of(address(), port), keyspace, Duration.ofSeconds(2));
        opened.add(through);
        return through;
    }
}
