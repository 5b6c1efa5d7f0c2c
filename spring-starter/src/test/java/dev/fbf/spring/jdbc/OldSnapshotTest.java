package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** An outer transaction that has read before its guarded call, while others were busy. */
@ParameterizedClass
@ValueSource(strings = {"filter", "ledger"})
@ExtendWith(PostgresExtension.class)
@Timeout(20)
class OldSnapshotTest {

    private static final int SLOTS = 4;

    @TempDir
    private static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static CountingApp app;

    private final String mode;

    private CountedTable counted;
    private JdbcClient jdbc;
    private TransactionTemplate old;

    OldSnapshotTest(String mode) {
        this.mode = mode;
    }

    @BeforeParameterizedClassInvocation
    static void start(String mode, DataSource dataSource) {
        app = CountingApp.start(dataSource, directory.resolve(mode), "fbf.mode=" + mode, "fbf.max-claims=" + SLOTS);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        jdbc = JdbcClient.create(dataSource);
        jdbc.sql("CREATE TABLE IF NOT EXISTS looked_up (value bigint)").update();
        old = app.newTransaction();
        old.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    }

    /** In filter mode others are in the way in the witness's row, and in the ledger nobody is. */
    @Test
    void theOperationIsAppliedOrTheTransactionIsToldToBeRetried() {
        Runnable transaction = () -> old.executeWithoutResult(begun -> {
            read();
            applyOthers();
            app.counter.pass("mine");
            jdbc.sql("INSERT INTO looked_up VALUES (1)").update();
        });

        if (mode.equals("ledger")) {
            transaction.run();
        } else {
            assertThatExceptionOfType(PessimisticLockingFailureException.class)
                    .isThrownBy(transaction::run)
                    .withStackTraceContaining("Retry the whole transaction")
                    .havingRootCause()
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
            old.executeWithoutResult(begun -> app.counter.pass("mine"));
        }

        assertThat(app.counter.count("other")).isEqualTo("counted");
        assertThat(app.counter.count("mine")).isEqualTo("counted before: mine");
        assertThat(counted.value()).isEqualTo(SLOTS + 1);
    }

    @Test
    void theSlotsAreUsedAgainAfterwards() {
        for (int i = 0; i < SLOTS; i++) {
            String key = "mine " + i;
            try {
                old.executeWithoutResult(transaction -> {
                    read();
                    applyOthers();
                    app.counter.pass(key);
                });
            } catch (PessimisticLockingFailureException e) {
                assertThat(mode).isEqualTo("filter");
            }
        }

        assertThat(app.counter.count("last")).isEqualTo("counted");
        assertThat(app.status.lostCommits()).isEmpty();
    }

    private void read() {
        jdbc.sql("SELECT count(*) FROM looked_up").query(Long.class).single();
    }

    /** In all slots. */
    private void applyOthers() {
        long key = System.nanoTime();
        for (int i = 0; i < SLOTS; i++) {
            app.counter.countInNewTransaction(key + "/" + i);
        }
    }
}
