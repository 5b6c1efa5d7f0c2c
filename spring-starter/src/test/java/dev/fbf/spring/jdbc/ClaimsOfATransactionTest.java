package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.ConnectionProxy;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** A transaction of many operations leaves room for those of others. */
@GuardedApp(properties = "fbf.max-claims=8")
class ClaimsOfATransactionTest extends CountingAppTest {

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
    void severalTransactionsLeaveRoomForOthers() {
        app.transaction.executeWithoutResult(status -> {
            counter.pass("first");
            counter.pass("second");
            for (int i = 0; i < 10; i++) {
                assertRefused("too many " + i);
            }
            CompletableFuture.runAsync(() -> app.transaction.executeWithoutResult(another -> {
                        counter.pass("another's first");
                        counter.pass("another's second");
                    }))
                    .join();
        });
    }

    @Test
    void aTransactionOfItsOwnHasItsOwnBound() {
        app.transaction.executeWithoutResult(status -> {
            counter.pass("first");
            counter.pass("second");
            assertThat(counter.countInNewTransaction("third")).isEqualTo("counted");
        });
    }

    @Test
    void anUndoneOperationLeavesItsRoom() {
        app.transaction.executeWithoutResult(status -> {
            for (int i = 0; i < 20; i++) {
                String key = "undone " + i;
                assertThatThrownBy(() -> counter.countNestedAnd(key, () -> {
                            throw new IllegalArgumentException("mine");
                        }))
                        .hasMessage("mine");
            }
            counter.pass("first");
            counter.pass("second");
            assertRefused("third");
        });
    }

    @Test
    void whoHoldsAllClaimsIsNamed() {
        takeTwoIn(4);

        assertThat(app.status.noRoomBecause()).isNull();
        assertThat(app.status.openTransactions()).isEmpty();
    }

    /** In transactions within one another, until there are no claims left. */
    private void takeTwoIn(int transactions) {
        if (transactions == 0) {
            assertThat(app.status.noRoomBecause())
                    .contains("fbf.max-claims=8 is reached", "4 open transactions and 0 in doubt", "thread ")
                    .contains(Thread.currentThread().getName());
            assertThat(app.status.openTransactions())
                    .extracting(NodeStatus.OpenTransaction::operations)
                    .containsExactly(2, 2, 2, 2);
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
                ((ConnectionProxy) DataSourceUtils.getConnection(dataSource))
                        .getTargetConnection()
                        .close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        thread.join();
        assertThat(app.status.openTransactions()).hasSize(1);
        awaitRollback();

        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(1);
        assertThat(app.status.openTransactions()).isEmpty();
    }

    /** Returns when the server has noticed that the connection is closed. */
    private void awaitRollback() {
        Awaitility.await()
                .until(() -> jdbc.sql("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%'")
                                .query(Integer.class)
                                .single()
                        == 0);
    }

    private void assertRefused(String key) {
        assertThatIllegalStateException()
                .isThrownBy(() -> counter.count(key))
                .withMessageContainingAll(
                        "fbf.max-claims=8", "2 operations", "four times", "several transactions", "increment(Map)");
    }
}
