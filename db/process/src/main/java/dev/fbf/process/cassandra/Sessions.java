package dev.fbf.process.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sessions of the driver, straight to the nodes or through proxies. */
public final class Sessions {

    /** Of the nodes that {@link CassandraCluster} starts. */
    public static final String DATA_CENTER = "datacenter1";

    private static final Duration PATIENT = Duration.ofSeconds(30);

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
        Map<String, String> ports = new HashMap<>();
        proxies.forEach((node, port) -> ports.put(node.getAddress().getHostAddress() + "/32", "127.0.0.1:" + port));
        ProgrammaticDriverConfigLoaderBuilder config = config().withString(
                        DefaultDriverOption.ADDRESS_TRANSLATOR_CLASS, "SubnetAddressTranslator")
                .withStringMap(DefaultDriverOption.ADDRESS_TRANSLATOR_SUBNET_ADDRESSES, ports)
                .withBoolean(DefaultDriverOption.ADDRESS_TRANSLATOR_RESOLVE_ADDRESSES, true)
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, timeout)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(2))
                .withDuration(DefaultDriverOption.HEARTBEAT_INTERVAL, Duration.ofSeconds(2))
                .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, Duration.ofSeconds(1))
                .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(100))
                .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofMillis(500));
        return CqlSession.builder()
                .addContactPoints(proxies.values().stream()
                        .map(port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .toList())
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
}
