package dev.fbf.loadtest.harness.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.addresstranslation.AddressTranslator;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import com.datastax.oss.driver.api.core.context.DriverContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Sessions of the driver, straight to the nodes or through proxies. */
public final class Sessions {

    /** Of the nodes that {@link CassandraCluster} starts. */
    public static final String DATA_CENTER = "datacenter1";

    private static final Duration PATIENT = Duration.ofSeconds(30);

    /** The proxies' ports on this host, by the nodes' addresses, by the sessions' names. */
    private static final Map<String, Map<InetSocketAddress, Integer>> PROXIES = new ConcurrentHashMap<>();

    private static final AtomicInteger numbers = new AtomicInteger();

    private Sessions() {}

    /** One whose requests may take long, as those that change the schema do. */
    public static CqlSession direct(InetSocketAddress node, @Nullable String keyspace) {
        return direct(node, keyspace, config());
    }

    /** One to the only node of a cluster: no other has to hear of a change of the schema, so it does not pause for that. */
    public static CqlSession toOnlyNode(InetSocketAddress node, @Nullable String keyspace) {
        return direct(node, keyspace, config().withDuration(DefaultDriverOption.METADATA_SCHEMA_WINDOW, Duration.ZERO));
    }

    private static CqlSession direct(
            InetSocketAddress node, @Nullable String keyspace, ProgrammaticDriverConfigLoaderBuilder config) {
        return CqlSession.builder()
                .addContactPoint(node)
                .withLocalDatacenter(DATA_CENTER)
                .withKeyspace(keyspace)
                .withConfigLoader(config.withDuration(DefaultDriverOption.REQUEST_TIMEOUT, PATIENT)
                        .build())
                .build();
    }

    /**
     * One that reaches the nodes through proxies, notices soon that a connection is dead, and connects soon again.
     *
     * @param proxies the port on this host of the proxy before each node
     */
    public static CqlSession through(Map<InetSocketAddress, Integer> proxies, String keyspace, Duration timeout) {
        String name = "proxied-" + numbers.incrementAndGet();
        PROXIES.put(name, Map.copyOf(proxies));
        ProgrammaticDriverConfigLoaderBuilder config = config().withString(DefaultDriverOption.SESSION_NAME, name)
                .withClass(DefaultDriverOption.ADDRESS_TRANSLATOR_CLASS, ThroughProxies.class)
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, timeout)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(2))
                .withDuration(DefaultDriverOption.HEARTBEAT_INTERVAL, Duration.ofSeconds(2))
                .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, Duration.ofSeconds(1))
                .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(100))
                .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofMillis(500));
        return CqlSession.builder()
                .addContactPoints(contactPoints(proxies.values()))
                .withLocalDatacenter(DATA_CENTER)
                .withKeyspace(keyspace)
                .withConfigLoader(config.build())
                .build();
    }

    /** Without the driver's pause of two seconds at the end, for late tasks. */
    private static ProgrammaticDriverConfigLoaderBuilder config() {
        return DriverConfigLoader.programmaticBuilder()
                .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0);
    }

    private static Collection<InetSocketAddress> contactPoints(Collection<Integer> ports) {
        return ports.stream().map(Sessions::here).toList();
    }

    private static InetSocketAddress here(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Sends the driver to the proxies of its session; to the node itself where there is none. */
    public static final class ThroughProxies implements AddressTranslator {

        private final Map<InetSocketAddress, Integer> proxies;

        /** Called by the driver. */
        public ThroughProxies(DriverContext context) {
            proxies = PROXIES.getOrDefault(context.getSessionName(), Map.of());
        }

        @Override
        public InetSocketAddress translate(InetSocketAddress address) {
            Integer port = proxies.get(address);
            return port == null ? address : here(port);
        }

        @Override
        public void close() {}
    }
}
