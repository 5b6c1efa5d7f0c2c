package dev.fbf.spring.cassandra;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.InvalidKeyspaceException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.env.Environment;

/** Failure analyzer for starts at which the session to Cassandra cannot be opened. */
final class SessionFailureAnalyzer implements FailureAnalyzer {

    private static final String WITHOUT_DATA_CENTER = "local DC must be explicitly set";

    /** Limit for a chain of causes, which can be a circle. */
    private static final int MOST_CAUSES = 100;

    private final Environment environment;

    SessionFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        return Stream.iterate(failure, e -> e != null, Throwable::getCause)
                .limit(MOST_CAUSES)
                .map(this::analyzed)
                .flatMap(Optional::stream)
                .findFirst()
                .orElse(null);
    }

    private Optional<FailureAnalysis> analyzed(Throwable e) {
        if (e instanceof InvalidKeyspaceException) {
            return Optional.of(new FailureAnalysis(
                    "Cassandra has no keyspace " + property("keyspace-name") + ".",
                    "Create it: CREATE KEYSPACE " + property("keyspace-name")
                            + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                            + property("local-datacenter")
                            + "': 3}; (1 for a single node). Or name another keyspace: property"
                            + " spring.cassandra.keyspace-name.",
                    e));
        }
        if (e instanceof AllNodesFailedException failed) {
            return Optional.of(
                    failed.getAllErrors().values().stream()
                                    .flatMap(Collection::stream)
                                    .anyMatch(AuthenticationException.class::isInstance)
                            ? new FailureAnalysis(
                                    "Cassandra does not accept the login: " + failed.getMessage(),
                                    "Correct spring.cassandra.username and spring.cassandra.password.",
                                    e)
                            : new FailureAnalysis(
                                    "No node of Cassandra can be reached at " + property("contact-points") + ": "
                                            + failed.getMessage(),
                                    "Start one there, or name others: properties spring.cassandra.contact-points and"
                                            + " spring.cassandra.port.",
                                    e));
        }
        if (e instanceof IllegalStateException && String.valueOf(e.getMessage()).contains(WITHOUT_DATA_CENTER)) {
            return Optional.of(new FailureAnalysis(
                    "The session does not know which data center of Cassandra is the local one.",
                    "Name it: property spring.cassandra.local-datacenter; datacenter1 unless it was configured"
                            + " (nodetool status shows it).",
                    e));
        }
        return Optional.empty();
    }

    private String property(String name) {
        return environment.getProperty("spring.cassandra." + name, "(spring.cassandra." + name + " is not set)");
    }
}
