package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.PostgresEndpoint;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.process.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two applications under load on one cluster that Patroni runs: one names all its hosts, the other goes through HAProxy. Leaders and
 * replicas fail, each in its turn; {@code -Dfbf.patroni.faults=60} repeats that. Where Debian's packages are missing it is skipped.
 */
@Tag("nightly")
@Timeout(10_800)
class PatroniTest {

    private enum Fault {
        LEADER_KILLED,
        SWITCHOVER,
        LEADER_FROZEN,
        LEADER_RESTARTED,
        REPLICA_REINITIALIZED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    private static final int FAULTS = Integer.getInteger("fbf.patroni.faults", Fault.values().length);
    private static final int OPERATIONS_OF_PHASE = 100;

    private final SplittableRandom random = new SplittableRandom(1);

    @ParameterizedTest
    @ValueSource(strings = {"ledger", "filter"})
    void countersAreExactAndClientsSeeNoErrorButUnavailable(String mode) throws Exception {
        Path directory = Path.of("target", "patroni-" + mode);
        Directories.delete(directory);
        directory = Files.createDirectories(directory).toRealPath();
        try (PatroniCluster cluster = PatroniCluster.start(directory);
                LoadedApp direct = start(cluster, directory, "hosts", mode, cluster.hosts(), 1);
                LoadedApp proxied = start(cluster, directory, "haproxy", mode, "127.0.0.1:" + cluster.proxyPort(), 2)) {
            List<LoadedApp> apps = List.of(direct, proxied);
            for (int number = 0; number < FAULTS; number++) {
                inject(cluster, apps, Fault.values()[number % Fault.values().length]);
            }
            for (LoadedApp app : apps) {
                assertExact(app, app.finish(cluster.only("/primary").port()));
            }
        }
    }

    private static LoadedApp start(
            PatroniCluster cluster, Path directory, String database, String mode, String hosts, long seed)
            throws IOException, InterruptedException, SQLException {
        int leader = cluster.only("/primary").port();
        new PostgresEndpoint(leader, PostgresEndpoint.DATABASE).execute("CREATE DATABASE " + database);
        return LoadedApp.start(directory, mode, hosts, 2, new PostgresEndpoint(leader, database), 100, seed);
    }

    private void inject(PatroniCluster cluster, List<LoadedApp> apps, Fault fault)
            throws IOException, InterruptedException, SQLException {
        cluster.awaitHealthy();
        awaitOperations(apps);
        apps.forEach(app -> app.history.note(fault.toString()));
        PatroniMember leader = cluster.only("/primary");
        switch (fault) {
            case LEADER_KILLED -> leader.kill();
            case LEADER_FROZEN -> leader.freeze();
            case SWITCHOVER -> cluster.switchOver();
            case LEADER_RESTARTED -> assertThat(leader.ask("/restart", "{}")).isTrue();
            case REPLICA_REINITIALIZED -> cluster.replica(random).reinitialize();
        }
        awaitOperations(apps);
        if (fault == Fault.LEADER_KILLED) {
            leader.start();
        } else if (fault == Fault.LEADER_FROZEN) {
            leader.thaw();
        }
    }

    private static void awaitOperations(List<LoadedApp> apps) throws InterruptedException {
        for (LoadedApp app : apps) {
            app.awaitMore(OPERATIONS_OF_PHASE, () -> {});
        }
    }

    private static void assertExact(LoadedApp app, Verdict verdict) {
        System.out.printf("%s: %s, requests by outcome %s%n", app, verdict.total(), app.history.outcomes());
        assertThat(verdict.passed()).as(verdict.explanation()).isTrue();
        assertThat(verdict.total().acknowledged()).isEqualTo(verdict.total().operations());
        assertThat(app.history.outcomes()).as("of " + app).doesNotContainKey(History.Outcome.REFUSED);
    }
}
