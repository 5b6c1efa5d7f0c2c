package dev.fbf.loadtest.torture.files;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.Counters;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.db.witness.WitnessStore;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.torture.agent.FilePoints;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * A process from its start to its end: it opens a directory with all kinds of files, and counts.
 *
 * @param directory the node's
 * @param url of the database
 * @param counter what it adds to
 */
record Start(Path directory, String url, String counter) {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final FilterSizing SMALL = new FilterSizing(1, Duration.ofMinutes(1), 1e-3);

    /** The directory, the URL, the counter, how many operations, and the scopes. Prints how many moments there were. */
    public static void main(String... arguments) throws SQLException {
        new Start(Path.of(arguments[0]), arguments[1], arguments[2])
                .count(Integer.parseInt(arguments[3]), List.of(arguments[4].split(",", -1)));
        System.out.println(FilePoints.passed());
    }

    static DataSource dataSource(String url) {
        return new DriverManagerDataSource(url, PostgresServer.USER, "");
    }

    /** Adds 1 for each of so many operations of each scope, unless it was added before. Each scope has a database of its own. */
    void count(int operations, List<String> scopes) throws SQLException {
        DataSource dataSource = dataSource(url);
        try (Node node = Node.open(directory, 4, true)) {
            for (String scope : scopes) {
                ScopeClaims claims = node.scope(scope, SMALL.plan());
                try (WitnessStore store = new WitnessStore(
                        dataSource, FbfSchema.onSearchPath(), node.database(scope), true, failure -> {})) {
                    store.start();
                    store.awaitRecovered(LONG);
                    Counters counters;
                    try (Connection connection = dataSource.getConnection()) {
                        counters = store.counters(store.table(connection, null));
                    }
                    for (int i = 0; i < operations; i++) {
                        apply(claims, counters, new OperationId(i, scope.hashCode()));
                    }
                }
            }
        }
    }

    private void apply(ScopeClaims claims, Counters counters, OperationId id) {
        Admission admission = claims.admit(id, null);
        if (admission instanceof Claim claim) {
            GroupedIncrement increment = counters.apply(claim, counter, 1, LONG);
            if (increment == null || increment.value() == null) {
                throw new IllegalStateException("not applied", increment == null ? null : increment.reason());
            }
        } else if (admission != Refusal.APPLIED) {
            throw new IllegalStateException("refused: " + admission);
        }
    }
}
