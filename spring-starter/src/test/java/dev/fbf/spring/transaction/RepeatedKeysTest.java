package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertInProgress;
import static dev.fbf.spring.RefusedCall.assertKeyRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.OperationSettings;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A key that comes twice in one transaction, as in a batch: the second one is a duplicate that shares the outcome. */
@GuardedApp
class RepeatedKeysTest extends CountingAppTest {

    private final String text = UUID.randomUUID().toString();
    private final IdempotencyKey key = IdempotencyKey.of(text);

    @Test
    void theSecondCallOfAMethodGetsTheResponseOfADuplicate() {
        app.transaction.executeWithoutResult(status -> {
            assertThat(app.counter.count("a")).isEqualTo("counted");
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");
            assertThat(app.counter.countTransactionally("a")).isEqualTo("counted before: a");
            assertThat(app.counter.countInSqlOnly("a")).isEqualTo("counted before: a");
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(app.counter.count("a")).isEqualTo("counted before: a");
    }

    @Test
    void theSecondUseInAScopeSeesWhatTheFirstHasWritten() {
        IdempotentScope scope = app.bean(IdempotentOperations.class).scope("batch");

        app.transaction.executeWithoutResult(status -> {
            assertThat(scope.execute(key, this::add, this::value)).isEqualTo(1L);
            add();
            assertThat(scope.execute(key, this::add, this::value)).isEqualTo(2L);
        });

        assertThat(counted.value()).isEqualTo(2);
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

    @Test
    void whatIsRolledBackIsNewWithAllItsUses() {
        app.transaction.executeWithoutResult(status -> {
            app.counter.count("a");
            app.counter.count("a");
            status.setRollbackOnly();
        });

        assertThat(counted.value()).isZero();
        assertThat(app.counter.count("a")).isEqualTo("counted");
    }

    /** The outer call may do more, or throw. */
    @Test
    void aMethodThatCallsItselfWithItsOwnKeyIsInProgress() throws Exception {
        app.counter.countAnd("a", () -> assertInProgress(() -> app.counter.count("a")));

        assertThat(counted.value()).isEqualTo(1);
    }

    /** The first one may have done a part of its work, or nothing: a duplicate's response would lose the rest. */
    @Test
    void afterAFirstUseThatHasThrownTheSecondIsNoDuplicate() {
        app.transaction.executeWithoutResult(status -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> app.counter.passAnd("a", () -> {
                        throw new IllegalStateException("mine");
                    }));
            assertInProgress(() -> app.counter.count("a"));
            status.setRollbackOnly();
        });

        assertThat(app.counter.count("a")).isEqualTo("counted");
    }

    @Test
    void anotherRequestWithTheKeyIsRefusedAsEver() {
        OperationExecutor executor = app.bean(OperationExecutor.class);
        OperationSettings settings = app.bean(Declarations.class).all().get(0);
        OperationId id = OperationId.of(settings.scope(), "", text);

        app.transaction.executeWithoutResult(status -> {
            assertThat(execute(executor, settings, new Operation(id, "", text, 1L)))
                    .isEqualTo("applied");
            assertThat(execute(executor, settings, new Operation(id, "", text, 1L)))
                    .isEqualTo("duplicate");
            assertKeyRefused(
                    OperationOutcome.KEY_REUSED, () -> execute(executor, settings, new Operation(id, "", text, 2L)));
        });

        assertThat(counted.value()).isEqualTo(1);
    }

    private Object execute(OperationExecutor executor, OperationSettings settings, Operation operation) {
        return String.valueOf(executor.executeMethod(
                settings,
                false,
                request -> operation,
                admitted -> admitted.call(() -> {
                    add();
                    return "applied";
                }),
                () -> "duplicate"));
    }

    private long add() {
        jdbc.sql("UPDATE counted SET value = value + 1").update();
        return value();
    }

    private long value() {
        return jdbc.sql("SELECT value FROM counted").query(Long.class).single();
    }
}
