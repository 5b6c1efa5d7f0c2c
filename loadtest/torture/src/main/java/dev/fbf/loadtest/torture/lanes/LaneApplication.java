package dev.fbf.loadtest.torture.lanes;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.fbf.loadtest.torture.app.TortureApplication;
import dev.fbf.process.cassandra.Sessions;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.cassandra.CassandraCounters;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A node of an application that counts on Cassandra, with the starter. It ends when its standard input does. */
@SpringBootApplication(
        excludeName = {
            "org.springframework.boot.cassandra.autoconfigure.CassandraAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
public class LaneApplication {

    public static final String SCOPE = "page-views";
    public static final String KEYSPACE = "torture";

    /** Shorter than the server's time-outs: outcomes are unknown that the server knows a moment later. */
    public static final Duration REQUEST_TIMEOUT = Duration.ofMillis(800);

    public static void main(String[] args) {
        TortureApplication.haltWithParent();
        SpringApplication.run(LaneApplication.class, args);
    }

    /**
     * Reaches each node of Cassandra through a proxy.
     *
     * @param nodes {@code <host>:<port>=<port of a proxy>} of each
     */
    @Bean
    static CqlSession session(@Value("${torture.nodes}") List<String> nodes) {
        Map<InetSocketAddress, Integer> proxies = nodes.stream()
                .map(node -> node.split("[:=]", 3))
                .collect(Collectors.toMap(
                        parts -> new InetSocketAddress(parts[0], Integer.parseInt(parts[1])),
                        parts -> Integer.valueOf(parts[2])));
        return Sessions.through(proxies, KEYSPACE, REQUEST_TIMEOUT);
    }

    @Bean
    static CassandraCounters views(CassandraCounters.Builder counters) {
        return counters.scope(SCOPE).build();
    }

    @RestController
    static class Views {

        private final CassandraCounters views;

        Views(CassandraCounters views) {
            this.views = views;
        }

        @PostMapping("/counters/{counter}/increments")
        @IdempotentIncrement(scope = SCOPE, onDuplicate = "value")
        public long increment(@PathVariable String counter) {
            return views.increment(counter);
        }

        /** What is asked of each start of a node. */
        @PostMapping("/probes")
        @IdempotentIncrement(scope = SCOPE)
        public void probe() {
            views.increment("probes");
        }

        /** The response to a retry. */
        public long value(String counter) {
            return views.value(counter).orElse(0);
        }
    }
}
