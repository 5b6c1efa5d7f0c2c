package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertInProgress;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.SqlCounters;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Guarded methods in transactions of their own, of their callers, and of both. */
@GuardedApp
class GuardedTransactionsTest extends CountingAppTest {

    private final String text = UUID.randomUUID().toString();
    private final IdempotencyKey key = IdempotencyKey.of(text);

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
    void aReadOnlyTransactionIsRefusedAndTheOperationFreed() {
        TransactionTemplate readOnly = app.newTransaction();
        readOnly.setReadOnly(true);

        assertThatIllegalStateException()
                .isThrownBy(() -> readOnly.execute(status -> counter.count("a")))
                .withMessageContaining("read-only");
        assertThat(counter.count("a")).isEqualTo("counted");
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
    void anExceptionThatTheCallerCatchesLeavesItsTransactionToDecide() {
        app.transaction.executeWithoutResult(status -> assertThatThrownBy(
                        () -> counter.countAnd("a", throwing(new IOException("mine"))))
                .hasMessage("mine"));

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("a")).isEqualTo("counted before: a");
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

    @Test
    void theSecondCallOfAMethodGetsTheResponseOfADuplicate() {
        app.transaction.executeWithoutResult(status -> {
            assertThat(counter.count("a")).isEqualTo("counted");
            assertThat(counter.count("a")).isEqualTo("counted before: a");
            assertThat(counter.countTransactionally("a")).isEqualTo("counted before: a");
            assertThat(counter.countInSqlOnly("a")).isEqualTo("counted before: a");
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("a")).isEqualTo("counted before: a");
    }

    @Test
    void theSecondIncrementOfACounterReadsTheValueOfTheFirst() {
        SqlCounters counters = app.bean(SqlCounters.class);
        String page = "page " + text;

        app.transaction.executeWithoutResult(status -> {
            assertThat(counters.increment(key, page, 7)).isEqualTo(7);
            assertThat(counters.increment(key, page, 7)).isEqualTo(7);
            assertThat(counters.increment(key, Map.of(page, 1L, "other " + text, 1L)))
                    .containsEntry(page, 8L);
            assertThat(counters.increment(key, Map.of(page, 1L, "other " + text, 1L)))
                    .containsEntry(page, 8L);
        });

        assertThat(counters.value(page)).hasValue(8);
    }

    /** The outer call may do more, or throw. */
    @Test
    void aMethodThatCallsItselfWithItsOwnKeyIsInProgress() throws Exception {
        counter.countAnd("a", () -> assertInProgress(() -> counter.count("a")));

        assertThat(counted.value()).isEqualTo(1);
    }

    /** The first one may have done a part of its work, or nothing: a duplicate's response would lose the rest. */
    @Test
    void afterAFirstUseThatHasThrownTheSecondIsNoDuplicate() {
        app.transaction.executeWithoutResult(status -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> counter.passAnd("a", () -> {
                        throw new IllegalStateException("mine");
                    }));
            assertInProgress(() -> counter.count("a"));
            status.setRollbackOnly();
        });

        assertThat(counter.count("a")).isEqualTo("counted");
    }

    private static Counter.Action throwing(Exception thrown) {
        return () -> {
            throw thrown;
        };
    }
}
