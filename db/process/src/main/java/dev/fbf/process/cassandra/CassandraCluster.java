package dev.fbf.process.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.fbf.process.FixedPorts;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A Cassandra cluster on 127.0.0.1, 127.0.0.2 and so on. Cassandra 5 runs on JDK 17 only: the nodes run on that, whatever this JVM
 * is. They are ended with this JVM, at the latest.
 */
public final class CassandraCluster implements AutoCloseable {

    static final String SETTINGS = "cassandra.yaml";
    static final String LOGGING = "logback.xml";

    private static final String CLOCK = "dev.fbf.process.clock.SkewedClock";
    private static final int JDK = 17;
    private static final BigInteger RING = BigInteger.ONE.shiftLeft(64);

    /** Enough for the load of two processors. */
    private static final List<String> JVM =
            List.of("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-Xss512k", "-XX:+PerfDisableSharedMem");

    private final List<CassandraNode> nodes;

    private CassandraCluster(List<CassandraNode> nodes) {
        this.nodes = nodes;
    }

    /**
     * Starts the first node, then the others together, and waits until all take connections.
     *
     * @param directory is made and filled
     * @param size how many nodes, 1 to 9
     * @param settings more lines of each {@code cassandra.yaml}
     * @param jvm more options of each JVM
     * @throws IllegalStateException if there is no {@linkplain #jdk() JDK 17}, or a node does not start
     */
    public static CassandraCluster start(Path directory, int size, List<String> settings, List<String> jvm)
            throws IOException, InterruptedException {
        return start(directory, size, settings, jvm, Duration.ZERO);
    }

    /**
     * Starts nodes whose clocks differ; otherwise as {@link #start(Path, int, List, List)}.
     *
     * @param apart how far each node's clock is ahead of the one before it
     */
    public static CassandraCluster start(
            Path directory, int size, List<String> settings, List<String> jvm, Duration apart)
            throws IOException, InterruptedException {
        Path java = jdk().orElseThrow(() -> new IllegalStateException(
                        "Cassandra 5 needs a JDK " + JDK + ": install one beside this one, or name it by JAVA17_HOME"))
                .resolve("bin/java");
        int storagePort = FixedPorts.free();
        int port = FixedPorts.free();
        List<String> options = new ArrayList<>(JVM);
        options.addAll(jvm);
        List<CassandraNode> nodes = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Path home =
                    Files.createDirectories(directory.resolve("node" + (i + 1))).toRealPath();
            Files.write(home.resolve(SETTINGS), settings(home, size, i, storagePort, port, settings));
            Files.writeString(home.resolve(LOGGING), logging());
            List<String> own = new ArrayList<>(options);
            own.addAll(clock(home, apart.multipliedBy(i)));
            nodes.add(new CassandraNode(
                    java,
                    home + File.pathSeparator + classPath(),
                    home,
                    own,
                    new InetSocketAddress(InetAddress.getByName(host(i)), port)));
        }
        CassandraCluster cluster = new CassandraCluster(nodes);
        try {
            nodes.get(0).start(); // on a busy machine the others would not find it, and end
            List<CassandraNode> others = nodes.subList(1, size);
            for (CassandraNode node : others) {
                node.begin();
            }
            for (CassandraNode node : others) {
                node.awaitReady();
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** The home of a JDK 17: that of this JVM, of {@code JAVA17_HOME}, or one that is installed beside this JVM's. */
    public static Optional<Path> jdk() {
        Path own = Path.of(System.getProperty("java.home"));
        Stream<Path> candidates = Stream.concat(
                Stream.of(own), Stream.ofNullable(System.getenv("JAVA17_HOME")).map(Path::of));
        return Stream.concat(candidates, beside(own))
                .filter(CassandraCluster::isRight)
                .findFirst();
    }

    private static Stream<Path> beside(Path home) {
        try {
            Path real = home.toRealPath().getParent();
            try (Stream<Path> others = Files.list(real)) {
                return others.sorted().toList().stream();
            }
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    private static boolean isRight(Path home) {
        Path release = home.resolve("release");
        try {
            return Files.isExecutable(home.resolve("bin/java"))
                    && Files.isRegularFile(release)
                    && Files.readString(release).contains("JAVA_VERSION=\"" + JDK + ".");
        } catch (IOException e) {
            return false;
        }
    }

    public List<CassandraNode> nodes() {
        return nodes;
    }

    /** A session in a new keyspace, of which each node has a replica. */
    public CqlSession createKeyspace(String keyspace) {
        CqlSession session = Sessions.direct(nodes.get(0).address(), null);
        session.execute("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': " + nodes.size() + "}");
        session.execute("USE " + keyspace);
        return session;
    }

    /** Kills the nodes that run. */
    @Override
    public void close() {
        nodes.stream().filter(CassandraNode::isRunning).forEach(CassandraNode::kill);
    }

    private static String host(int node) {
        return "127.0.0." + (node + 1);
    }

    private static String classPath() throws IOException {
        try (InputStream stream = open("class-path")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    /** The options of a JVM whose node sees another time of day than this machine, by a class beside its settings. */
    private static List<String> clock(Path home, Duration ahead) throws IOException {
        Path file = home.resolve(CLOCK.replace('.', '/') + ".class");
        try (InputStream stream = open("/" + home.relativize(file))) {
            Files.createDirectories(file.resolveSibling(""));
            Files.copy(stream, file);
        }
        return List.of("-Dcassandra.clock=" + CLOCK, "-Dfbf.clock.ahead.millis=" + ahead.toMillis());
    }

    private static InputStream open(String resource) {
        InputStream stream = CassandraCluster.class.getResourceAsStream(resource);
        if (stream == null) {
            throw new IllegalStateException(resource + " is missing: build db/process/cassandra");
        }
        return stream;
    }

    private static List<String> settings(Path home, int size, int node, int storagePort, int port, List<String> more) {
        BigInteger token = RING.multiply(BigInteger.valueOf(node))
                .divide(BigInteger.valueOf(size))
                .subtract(BigInteger.ONE.shiftLeft(63));
        List<String> lines = new ArrayList<>(List.of(
                "cluster_name: fbf",
                "num_tokens: 1",
                "initial_token: " + token,
                "auto_bootstrap: false", // the tokens are given: nodes can start together
                "partitioner: org.apache.cassandra.dht.Murmur3Partitioner",
                "data_file_directories: [" + home.resolve("data") + "]",
                "commitlog_directory: " + home.resolve("commitlog"),
                "saved_caches_directory: " + home.resolve("saved_caches"),
                "hints_directory: " + home.resolve("hints"),
                "cdc_raw_directory: " + home.resolve("cdc_raw"),
                "commitlog_sync: batch", // by default a node that is killed forgets what it has acknowledged last
                "commitlog_segment_size: 8MiB",
                "commitlog_total_space: 128MiB",
                "listen_address: " + host(node),
                "rpc_address: " + host(node),
                "storage_port: " + storagePort,
                "native_transport_port: " + port,
                "endpoint_snitch: SimpleSnitch",
                "seed_provider: [{class_name: org.apache.cassandra.locator.SimpleSeedProvider, parameters: [{seeds: \""
                        + seeds(size, node, storagePort) + "\"}]}]",
                "auto_snapshot: false",
                "dynamic_snitch: false",
                "incremental_backups: false"));
        if (more.stream().noneMatch(line -> line.startsWith("paxos_variant"))) {
            lines.add("paxos_variant: v2");
        }
        lines.addAll(more);
        return lines;
    }

    /**
     * The seeds of a node: itself for the first, which starts alone; all others for the rest.
     */
    private static String seeds(int size, int node, int storagePort) {
        return IntStream.range(0, size)
                .filter(other -> node == 0 ? other == 0 : other != node)
                .mapToObj(other -> host(other) + ":" + storagePort)
                .collect(Collectors.joining(","));
    }

    private static String logging() {
        return """
                <configuration>
                  <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
                    <encoder><pattern>%date %level [%thread] %logger{20}: %message%n</pattern></encoder>
                  </appender>
                  <root level="INFO"><appender-ref ref="out"/></root>
                </configuration>
                """;
    }
}
