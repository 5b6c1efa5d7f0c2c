package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes in ledger mode beside the rows that filter mode and other processes leave. */
@Timeout(30)
class LedgerScopesTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private static final String SCOPE = "views";
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private final LedgerScopes scopes = new LedgerScopes(FbfDatabase.TABLES);
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = database.connect();
    }

    @Test
    void aNewScopeIsEnteredAndHeldBackByNothing() throws SQLException {
        assertThat(scopes.refusal(SCOPE)).isEqualTo(Refusal.UNCONFIRMED);

        assertThat(register(scopes)).isNull();

        assertThat(scopes.refusal(SCOPE)).isNull();
        assertThat(scopes.heldBackFor(SCOPE)).isZero();
        assertThat(scopes.obstacles()).isEmpty();
        assertThat(row()).isEqualTo("ledger, 00:10:00");
        assertThat(register(new LedgerScopes(FbfDatabase.TABLES)))
                .as("another process")
                .isNull();
    }

    @Test
    void aReadingThatFailsChangesNothing() throws SQLException {
        register(scopes);
        connection.close();

        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> scopes.refresh(connection));

        assertThat(scopes.refusal(SCOPE)).isNull();
        assertThat(scopes.obstacles()).isEmpty();
    }

    @Test
    void theRowHasTheLongestWindowOfItsProcesses() throws SQLException {
        register(scopes);
        new LedgerScopes(FbfDatabase.TABLES).register(connection, SCOPE, Duration.ofHours(1));
        new LedgerScopes(FbfDatabase.TABLES).register(connection, SCOPE, Duration.ofMinutes(1));

        assertThat(row()).isEqualTo("ledger, 01:00:00");
    }

    /** In seconds: the window of the lease's holder, how long ago it was there, and the wait. */
    @ParameterizedTest
    @CsvSource({
        "true, 600, 60, 540",
        "false, 600, 40, 590" // killed: its last operation may be as late as its lease's end
    })
    void aStartTurnsAScopeThatFilterModeHasLeftAndHoldsBackForTheRetriesOfItsOperations(
            boolean ended, int window, int ago, int wait) throws SQLException {
        filterMode(ended, window + " s");
        pass(Duration.ofSeconds(ago));

        assertThat(register(scopes)).isNull();

        assertThat(row()).isEqualTo("ledger, 00:10:00");
        assertThat(query(connection, "SELECT count(*) FROM fbf_lease")).isEqualTo("0");
        assertThat(scopes.refusal(SCOPE)).isEqualTo(Refusal.HELD_BACK);
        assertThat(scopes.heldBackFor(SCOPE)).isBetween(Duration.ofSeconds(wait - 9), Duration.ofSeconds(wait));
        assertThat(scopes.obstacles())
                .singleElement()
                .asString()
                .startsWith("Scope views: operations are refused for ")
                .endsWith(". Until then, retries can arrive of operations that filter mode applied.");
    }

    @Test
    void aRestartDuringTheWaitContinuesItAndItEndsByItself() throws SQLException {
        filterMode(true, "600 s");
        register(scopes);
        passHold(Duration.ofMinutes(6));
        LedgerScopes next = new LedgerScopes(FbfDatabase.TABLES);

        register(next);

        assertThat(next.heldBackFor(SCOPE)).isBetween(Duration.ofMinutes(3), Duration.ofMinutes(4));
        execute(connection, "UPDATE fbf_scope SET held_until = clock_timestamp() + interval '200 ms'");
        next.refresh(connection);
        while (next.refusal(SCOPE) == Refusal.HELD_BACK
                && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
        assertThat(next.heldBackFor(SCOPE)).isZero();
        assertThat(next.obstacles()).isEmpty();
    }

    @Test
    void aRunningProcessRefusesAScopeThatHasTurnedToFilterModeAndAdmitsItAgain() throws SQLException {
        register(scopes);

        turn("filter");
        scopes.refresh(connection);

        assertThat(scopes.refusal(SCOPE)).isEqualTo(Refusal.OTHER_NODE);
        assertThat(scopes.obstacles())
                .containsExactly("Scope views: operations are refused. Another process has turned the scope to filter"
                        + " mode. To keep filter mode, stop this process. To return to ledger mode, stop the other process,"
                        + " then restart this one.");
        scopes.refresh(connection);
        assertThat(row()).as("it takes nothing back").startsWith("filter");

        turn("ledger");
        scopes.refresh(connection);

        assertThat(row()).isEqualTo("ledger, 00:10:00");
        assertThat(scopes.refusal(SCOPE)).isNull();
        assertThat(scopes.obstacles()).isEmpty();
    }

    @Test
    void aMissingRowIsLedgerModeAndInsertedAgain() throws SQLException {
        filterMode(true, "600 s");
        register(scopes);
        execute(connection, "TRUNCATE fbf_scope");

        scopes.refresh(connection);

        assertThat(scopes.refusal(SCOPE)).isNull();
        assertThat(row()).isEqualTo("ledger, 00:10:00");
    }

    @Test
    void aStartWithoutADatabaseIsRefusedLaterBesideAProcessInFilterModeAndTakesNothingWhenThatIsGone()
            throws SQLException {
        filterMode(false, "0 s");
        scopes.add(SCOPE, WINDOW);

        scopes.refresh(connection);
        assertThat(scopes.refusal(SCOPE)).isEqualTo(Refusal.OTHER_NODE);
        pass(Duration.ofHours(1));
        scopes.refresh(connection);

        assertThat(scopes.refusal(SCOPE)).isEqualTo(Refusal.OTHER_NODE);
        assertThat(row()).startsWith("filter");
    }

    @Test
    void aScopeInFilterModeThatAnOpenTransactionUsesFirstWaitsForTheNextReading() throws SQLException {
        filterMode(true, "600 s");

        scopes.read(database.begin(), SCOPE, WINDOW);
        assertThat(scopes.refusal(SCOPE)).isEqualTo(Refusal.UNCONFIRMED);
        assertThat(row()).startsWith("filter");
        scopes.refresh(connection);

        assertThat(scopes.refusal(SCOPE)).isEqualTo(Refusal.HELD_BACK);
    }

    /** The holder renews its lease while the start waits for its row. */
    @Test
    void aLeaseThatIsRenewedMeanwhileIsAlive() throws Exception {
        filterMode(false, "0 s");
        pass(Duration.ofHours(1));
        try (Connection holder = database.begin()) {
            execute(holder, "UPDATE fbf_lease SET seen_at = clock_timestamp()");
            CompletableFuture<String> reason = CompletableFuture.supplyAsync(() -> {
                try {
                    return String.valueOf(register(scopes));
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            database.awaitAWaiter();
            holder.commit();

            assertThat(reason.join()).contains("process 42 on db17");
        }
    }

    private @Nullable String register(LedgerScopes process) throws SQLException {
        return process.register(connection, SCOPE, WINDOW);
    }

    private String row() throws SQLException {
        return query(connection, "SELECT mode || ', ' || retry_window FROM fbf_scope");
    }

    private void turn(String mode) throws SQLException {
        execute(
                connection,
                "INSERT INTO fbf_scope VALUES ('" + SCOPE + "', '" + mode + "', '" + WINDOW + "')"
                        + " ON CONFLICT (scope) DO UPDATE SET mode = excluded.mode, retry_window = interval '1 minute'");
    }

    /** Leaves the lease of a process in filter mode. */
    private void filterMode(boolean ended, String window) throws SQLException {
        turn("filter");
        execute(
                connection,
                "INSERT INTO fbf_lease SELECT '" + SCOPE + "', node, node, 'process 42 on db17', " + ended
                        + ", 1, interval '" + window + "', clock_timestamp() FROM gen_random_uuid() AS node");
    }

    private void pass(Duration time) throws SQLException {
        execute(connection, "UPDATE fbf_lease SET seen_at = seen_at - interval '" + time + "'");
    }

    private void passHold(Duration time) throws SQLException {
        execute(connection, "UPDATE fbf_scope SET held_until = held_until - interval '" + time + "'");
    }
}
