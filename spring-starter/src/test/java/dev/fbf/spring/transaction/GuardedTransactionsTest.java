package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.DuplicateOperationException;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationInProgressException;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

/** Guarded methods in transactions of their own, of their callers, and of both. */
@GuardedApp
class GuardedTransactionsTest extends CountingAppTest {

    @Test
    void aCheckedExceptionRollsBackToo() {
        IOException thrown = new IOException("mine");

        assertThatThrownBy(() -> counter.countAnd("a", throwing(thrown))).isSameAs(thrown);
        assertThat(counted.value()).isZero();
        assertThat(counter.count("a")).isEqualTo("counted");
    }

    @Test
    void aMethodWithoutSqlIsAnOperationAllTheSame() throws Exception {
        Map<String, Long> before = counted.tokens();

        counter.passAnd("a", () -> {});

        assertThat(counted.tokens().equals(before)).isEqualTo(mode == Mode.LEDGER);
        counter.passAnd("a", () -> fail("reached"));
    }

    @Test
    void theWitnessTurnsWithCommit() {
        assumeThat(mode).isEqualTo(Mode.FILTER);
        Map<String, Long> before = counted.tokens();
        JdbcTemplate jdbc = new JdbcTemplate(app.bean(DataSource.class));

        app.transaction.executeWithoutResult(status -> {
            counter.count("a");
            assertThat(jdbc.queryForList("SELECT 1 FROM fbf_witness WHERE xmin = pg_current_xact_id()::xid"))
                    .isEmpty();
        });

        assertThat(counted.tokens()).isNotEqualTo(before);
    }

    @Test
    void anOperationIsInProgressUntilTheCallersCommit() {
        app.transaction.executeWithoutResult(status -> {
            counter.count("a");
            assertThatThrownBy(() -> CompletableFuture.supplyAsync(() -> counter.count("a"))
                            .join())
                    .hasCauseInstanceOf(OperationInProgressException.class);
        });

        assertThat(counter.count("a")).isEqualTo("counted before: a");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void aTransactionalMethodKeepsItsOwnRollbackRules() {
        IOException thrown = new IOException("mine");

        assertThatThrownBy(() -> counter.countTransactionallyAnd("a", throwing(thrown)))
                .isSameAs(thrown);

        // Spring commits when a @Transactional method throws a checked exception: the operation was applied
        assertThat(counted.value()).isEqualTo(1);
        assertThatExceptionOfType(DuplicateOperationException.class)
                .isThrownBy(() -> counter.countTransactionallyAnd("a", throwing(thrown)));
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void aReadOnlyTransactionIsRefusedAndTheOperationFreed() {
        TransactionTemplate readOnly = app.newTransaction();
        readOnly.setReadOnly(true);

        assertThatIllegalStateException()
                .isThrownBy(() -> readOnly.execute(status -> counter.count("a")))
                .withMessageContaining("read-only");
        assertThat(counter.count("a")).isEqualTo("counted");
    }

    @Test
    void theTransactionOfATransactionalMethodIsTheCallersAndDecides() {
        app.transaction.executeWithoutResult(status -> {
            assertThat(counter.countTransactionally("a")).isEqualTo("counted");
            status.setRollbackOnly();
        });

        assertThat(counted.value()).isZero();
        assertThat(counter.countTransactionally("a")).isEqualTo("counted");
        assertThat(counter.countTransactionally("a")).isEqualTo("counted before: a");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void guardedCallsInOneTransactionTurnOneRowOfTheWitnessOnce() {
        Map<String, Long> before = counted.tokens();

        app.transaction.executeWithoutResult(status -> {
            counter.count("a");
            counter.countTransactionally("b");
            counter.count("c");
        });

        Set<Map.Entry<String, Long>> turned = new HashSet<>(counted.tokens().entrySet());
        turned.removeAll(before.entrySet());
        assertThat(turned).hasSize(mode == Mode.LEDGER ? 0 : 1);
        assertThat(counted.value()).isEqualTo(3);
        for (String key : new String[] {"a", "b", "c"}) {
            assertThat(counter.count(key)).isEqualTo("counted before: " + key);
        }
    }

    @Test
    void aGuardedMethodThatCallsAnotherSharesItsTransactionWithIt() throws Exception {
        RuntimeException thrown = new IllegalArgumentException("mine");
        assertThatThrownBy(() -> counter.countAnd("outer", () -> {
                    counter.count("inner");
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(counted.value()).isZero();

        counter.countAnd("outer", () -> assertThat(counter.count("inner")).isEqualTo("counted"));

        assertThat(counted.value()).isEqualTo(2);
        assertThat(counter.count("inner")).isEqualTo("counted before: inner");
        assertThat(counter.count("outer")).isEqualTo("counted before: outer");
    }

    @Test
    void theInnerTransactionIsAppliedThoughTheOuterOneRollsBack() {
        // the outer one counts later: the inner one could not wait for its lock
        app.transaction.executeWithoutResult(status -> {
            counter.countInNewTransaction("inner");
            counter.count("outer");
            status.setRollbackOnly();
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("inner")).isEqualTo("counted before: inner");
        assertThat(counter.count("outer")).isEqualTo("counted");
    }

    @Test
    void theOuterTransactionIsAppliedThoughTheInnerOneRollsBack() throws Exception {
        RuntimeException thrown = new IllegalArgumentException("mine");

        app.transaction.executeWithoutResult(status -> {
            assertThatThrownBy(() -> counter.countInNewTransactionAnd("inner", throwing(thrown)))
                    .isSameAs(thrown);
            counter.count("outer");
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("outer")).isEqualTo("counted before: outer");
        assertThat(counter.count("inner")).isEqualTo("counted");
    }

    @Test
    void anExceptionThatTheCallerCatchesLeavesItsTransactionToDecide() {
        app.transaction.executeWithoutResult(status -> assertThatThrownBy(
                        () -> counter.countAnd("a", throwing(new IOException("mine"))))
                .hasMessage("mine"));

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("a")).isEqualTo("counted before: a");
    }

    @Test
    void aTransactionMarkedForRollbackByAParticipantFreesTheOperation() {
        assertThatExceptionOfType(UnexpectedRollbackException.class)
                .isThrownBy(() -> app.transaction.executeWithoutResult(status -> {
                    counter.count("a");
                    assertThatThrownBy(() -> counter.countTransactionallyAnd(
                                    "b", throwing(new IllegalArgumentException("mine"))))
                            .hasMessage("mine");
                }));

        assertThat(counted.value()).isZero();
        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(counter.count("b")).isEqualTo("counted");
    }

    @Test
    void aTransactionThatIsSuspendedIsNotTheMethods() {
        TransactionTemplate suspended = app.newTransaction();
        suspended.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);

        app.transaction.executeWithoutResult(status -> {
            suspended.executeWithoutResult(none -> counter.count("a"));
            status.setRollbackOnly();
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("a")).isEqualTo("counted before: a");
    }

    private static Counter.Action throwing(Exception thrown) {
        return () -> {
            throw thrown;
        };
    }
}
