package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.loadtest.harness.sql.MariaDbServer;
import dev.fbf.loadtest.torture.client.KnownHistory;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.client.Operations.Target;
import dev.fbf.process.MariaDbProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class MariaDbDatabaseTest {

    private final Operations operations = new Operations(1, 4, 0.99);
    private final KnownHistory known = new KnownHistory(operations);
    private final long own = known.acknowledged(Target.OWN_COUNTER);
    private final long shared = known.acknowledged(Target.SHARED_COUNTER);

    @Test
    void findsEachOperationOfAGroupAppliedAndWhatAnotherHasAppliedAgain(@TempDir Path directory) throws Exception {
        assumeThat(MariaDbProcess.isInstalled()).as("MariaDB is installed").isTrue();
        try (MariaDbServer server = MariaDbServer.startNew(directory)) {
            server.execute("CREATE TABLE fbf_counter (name varchar(255) PRIMARY KEY, value bigint NOT NULL)");
            server.execute("CREATE TABLE fbf_ledger (operation int PRIMARY KEY, transaction_id bigint NOT NULL)");
            MariaDbDatabase database = new MariaDbDatabase(server);
            database.create(4);
            database.watchCounters();

            apply(server, 1, own, shared);
            Verdict verdict = read(database);
            assertThat(verdict.passed()).isTrue();
            assertThat(verdict.total()).isEqualTo(new Verdict.Tally(2, 2, 0, 0));
            assertThat(database.groupsOfSeveral()).isEqualTo(1);

            apply(server, 3, own);
            assertThat(read(database).doubled).containsOnlyKeys(own);
            assertThat(database.groupsOfSeveral()).isEqualTo(1);
        }
    }

    private Verdict read(MariaDbDatabase database) throws SQLException {
        Verdict verdict = new Verdict(operations, known.history());
        database.read(verdict);
        return verdict;
    }

    /** As the ledger does it, in one transaction. */
    private void apply(MariaDbServer server, int firstRow, long... group) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < group.length; i++) {
                statement.execute("INSERT INTO fbf_ledger VALUES (" + (firstRow + i) + ", " + firstRow + ")");
                statement.execute("INSERT INTO fbf_counter VALUES ('" + operations.counter(group[i])
                        + "', 1) ON DUPLICATE KEY UPDATE value = value + 1");
            }
            connection.commit();
        }
    }
}
