package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.datasource.ConnectionProxy;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction of many operations leaves room for those of others. */
@Timeout(20)
@GuardedApp(properties = "fbf.max-claims=" + ClaimsOfATransactionTest.SLOTS)
class ClaimsOfATransactionTest extends CountingAppTest {

    static final int SLOTS = 8;

    private TransactionTemplate old;

    @Test
    void oneTooManyIsRefusedAndTheOthersAreApplied() {
        app.transaction.executeWithoutResult(status -> {
            counter.count("first");
            counter.count("second");
            assertRefused("third");
        });

        assertThat(counted.value()).isEqualTo(2);
        assertThat(counter.count("first")).isEqualTo("counted before: first");
        assertThat(counter.count("second")).isEqualTo("counted before: second");
        assertThat(counter.count("third")).isEqualTo("counted");
    }

    @Test
    void whileAllClaimsAreHeldOthersAreRefused() {
        takeTwoIn(4);

        assertThat(app.status.noRoomBecause()).isNull();
    }

    /** In transactions within one another, until there are no claims left. */
    private void takeTwoIn(int transactions) {
        if (transactions == 0) {
            assertThat(app.status.noRoomBecause()).contains("fbf.max-claims=8 is reached");
            assertUnavailable(() -> app.requiresNew().executeWithoutResult(status -> counter.pass("one more")))
                    .matches(refused -> refused.reason() == OperationOutcome.NO_ROOM);
            return;
        }
        app.requiresNew().executeWithoutResult(status -> {
            counter.pass("first of " + transactions);
            counter.pass("second of " + transactions);
            takeTwoIn(transactions - 1);
        });
    }

    /** Its connection is closed, but no one tells the manager. */
    @Test
    void theClaimOfAThreadThatHasEndedWithinItsTransactionIsFreed() throws Exception {
        PlatformTransactionManager manager = app.bean(PlatformTransactionManager.class);
        Thread thread = new Thread(() -> {
            manager.getTransaction(new DefaultTransactionDefinition());
            counter.count("a");
            try {
                Connection bound = DataSourceUtils.getConnection(dataSource);
                (bound instanceof ConnectionProxy proxy ? proxy.getTargetConnection() : bound).close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        thread.join();
        assertThat(claims()).isEqualTo(1);
        awaitRollback();

        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(1);
        assertThat(claims()).isZero();
    }

    private int claims() {
        return app.status.all().stream().mapToInt(NodeStatus.OpenScope::claims).sum();
    }

    /** Returns when the server has noticed that the connection is closed. */
    private void awaitRollback() {
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(jdbc.sql("SELECT query FROM pg_stat_activity WHERE state LIKE 'idle in%'")
                                        .query(String.class)
                                        .list())
                                .isEmpty());
    }

    private void assertRefused(String key) {
        assertThatIllegalStateException()
                .isThrownBy(() -> counter.count(key))
                .withMessageContainingAll(
                        "fbf.max-claims=8", "2 operations", "four times", "several transactions", "increment(Map)");
    }

    @BeforeEach
    void readRepeatably() {
        jdbc.sql("CREATE TABLE IF NOT EXISTS looked_up (value bigint)").update();
        old = app.newTransaction();
        old.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    }

    /** Of an outer transaction that has read before its guarded call, while others were busy. In filter mode these are in the way in the witness's row, and in the ledger nobody is. */
    @Test
    void theOperationIsAppliedOrTheTransactionIsToldToBeRetried() {
        Runnable transaction = () -> old.executeWithoutResult(begun -> {
            read();
            applyOthers();
            counter.pass("mine");
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
            old.executeWithoutResult(begun -> counter.pass("mine"));
        }

        assertThat(counter.count("other")).isEqualTo("counted");
        assertThat(counter.count("mine")).isEqualTo("counted before: mine");
        assertThat(counted.value()).isEqualTo(SLOTS + 1);
    }

    private void read() {
        jdbc.sql("SELECT count(*) FROM looked_up").query(Long.class).single();
    }

    /** In all slots. */
    private void applyOthers() {
        long key = System.nanoTime();
        for (int i = 0; i < SLOTS; i++) {
            counter.countInNewTransaction(key + "/" + i);
        }
    }
}
