package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.Mode;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** An outer transaction that has read before its guarded call, while others were busy. */
@Timeout(20)
@GuardedApp(properties = "fbf.max-claims=" + OldSnapshotTest.SLOTS)
class OldSnapshotTest extends CountingAppTest {

    static final int SLOTS = 4;

    private TransactionTemplate old;

    @BeforeEach
    void readRepeatably() {
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

        if (mode == Mode.LEDGER) {
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
                assertThat(mode).isEqualTo(Mode.FILTER);
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
