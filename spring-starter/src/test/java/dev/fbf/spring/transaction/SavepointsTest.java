package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.Mode;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction that goes back to a savepoint undoes the operations since, and no others. */
@Tag("slow")
@GuardedApp(properties = "fbf.max-claims=" + SavepointsTest.CLAIMS)
class SavepointsTest extends CountingAppTest {

    static final int CLAIMS = 16;

    private final RuntimeException mine = new IllegalArgumentException("mine");

    @Test
    void aNestedOperationThatIsRolledBackIsNewAndTheOuterOneIsApplied() throws Exception {
        counter.countAnd("outer", () -> failNested("inner"));

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("outer")).isEqualTo("counted before: outer");
        assertThat(counter.count("inner")).isEqualTo("counted");
    }

    @Test
    void operationsUndoneOneAfterTheOtherLeaveTheSlotAsItWas() {
        app.transaction.executeWithoutResult(status -> {
            failNested("undone");
            failNested("undone as well");
        });

        assertThat(counted.value()).isZero();
        assertThat(counter.count("undone")).isEqualTo("counted");
        assertAllSlotsWork();
    }

    @Test
    void anOperationAfterSeveralWereUndoneIsProvedByTheWitness() {
        Set<Map.Entry<String, Long>> before = counted.tokens().entrySet();
        app.transaction.executeWithoutResult(status -> {
            failNested("undone");
            failNested("undone as well");
            counter.count("applied");
        });

        // without a token of its own, nobody could settle it
        assertThat(counted.tokens().entrySet().equals(before)).isEqualTo(mode == Mode.LEDGER);
        assertAppliedAndUndone("applied", "undone");
        assertAllSlotsWork();
    }

    @Test
    void aSavepointWithinANestedOperationUndoesTheInnermostAlone() throws Exception {
        app.transaction.executeWithoutResult(status -> {
            counter.count("first");
            try {
                counter.countNestedAnd("second", () -> failNested("third"));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            counter.count("fourth");
        });

        assertThat(counted.value()).isEqualTo(3);
        for (String key : new String[] {"first", "second", "fourth"}) {
            assertThat(counter.count(key)).isEqualTo("counted before: " + key);
        }
        assertThat(counter.count("third")).isEqualTo("counted");
    }

    @Test
    void savepointsOfTheUsersOwnUndoWhatFollowsThem() {
        app.transaction.executeWithoutResult(status -> {
            Object atFirst = status.createSavepoint();
            counter.count("undone");
            status.rollbackToSavepoint(atFirst);
            counter.count("applied");
            Object later = status.createSavepoint();
            counter.count("undone as well");
            status.rollbackToSavepoint(later);
            status.releaseSavepoint(later);
        });

        assertAppliedAndUndone("applied", "undone");
        assertThat(counter.count("undone as well")).isEqualTo("counted");
        assertAllSlotsWork();
    }

    @Test
    void anOperationIsProvedThoughItsFirstStatementWasUndone() throws Exception {
        Set<Map.Entry<String, Long>> before = counted.tokens().entrySet();

        counter.runTransactionallyInSqlOnly("applied", () -> {
            TransactionStatus status = TransactionAspectSupport.currentTransactionStatus();
            Object savepoint = status.createSavepoint();
            for (int tries = 0; tries < 2; tries++) {
                jdbc.sql("UPDATE counted SET value = value + 100").update();
                status.rollbackToSavepoint(savepoint);
            }
            jdbc.sql("UPDATE counted SET value = value + 1").update();
        });

        assertThat(counted.tokens().entrySet().equals(before)).isEqualTo(mode == Mode.LEDGER);
        assertThat(counter.runTransactionallyInSqlOnly("applied", () -> {
                    throw mine;
                }))
                .isEqualTo("run before: applied");
        assertThat(counted.value()).isEqualTo(1);
        assertAllSlotsWork();
    }

    @Test
    void aSavepointCanBeGoneBackToTwice() {
        app.transaction.executeWithoutResult(status -> {
            counter.count("applied");
            Object savepoint = status.createSavepoint();
            counter.count("undone");
            status.rollbackToSavepoint(savepoint);
            counter.count("undone as well");
            status.rollbackToSavepoint(savepoint);
        });

        assertAppliedAndUndone("applied", "undone");
        assertThat(counter.count("undone as well")).isEqualTo("counted");
    }

    /** As with Spring alone: what took part in the nested transaction spoilt that, and no more. */
    @Test
    void theOuterTransactionCommitsAfterANestedOneThatCanOnlyRollBack() {
        TransactionTemplate nested = app.newTransaction();
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

        app.transaction.executeWithoutResult(status -> {
            counter.count("applied");
            assertThatThrownBy(() -> nested.executeWithoutResult(inner -> failTransactionally("undone")))
                    .hasRootCause(mine);
        });

        assertAppliedAndUndone("applied", "undone");
    }

    @Test
    void anUndoneOperationIsNewInTheSameTransaction() {
        app.transaction.executeWithoutResult(status -> {
            failNested("again");
            assertThat(counter.count("again")).isEqualTo("counted");
            assertThat(counter.count("again")).isEqualTo("counted before: again");
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("again")).isEqualTo("counted before: again");
        assertAllSlotsWork();
    }

    @Test
    void anUndoneOperationIsNewForOthersThoughItsTransactionGoesOn() {
        app.transaction.executeWithoutResult(status -> {
            failNested("undone");
            assertThat(CompletableFuture.supplyAsync(() -> counter.count("undone"))
                            .join())
                    .isEqualTo("counted");
            assertThat(counter.count("undone")).isEqualTo("counted before: undone");
        });

        assertThat(counted.value()).isEqualTo(1);
        assertAllSlotsWork();
    }

    @Test
    void aSecondUseThatASavepointUndidLeavesTheFirst() {
        app.transaction.executeWithoutResult(status -> {
            counter.count("first");
            Object savepoint = status.createSavepoint();
            assertThat(counter.count("first")).isEqualTo("counted before: first");
            status.rollbackToSavepoint(savepoint);
            assertThat(counter.count("first")).isEqualTo("counted before: first");
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("first")).isEqualTo("counted before: first");
    }

    private void failTransactionally(String key) {
        try {
            counter.countTransactionallyAnd(key, () -> {
                throw mine;
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void failNested(String key) {
        assertThatThrownBy(() -> counter.countNestedAnd(key, () -> {
                    throw mine;
                }))
                .isSameAs(mine);
    }

    private void assertAppliedAndUndone(String applied, String undone) {
        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count(applied)).isEqualTo("counted before: " + applied);
        assertThat(counter.count(undone)).isEqualTo("counted");
    }

    /** With few claims, each slot has its turn. */
    private void assertAllSlotsWork() {
        for (int i = 0; i < 2 * CLAIMS; i++) {
            assertThat(counter.count("another " + i)).isEqualTo("counted");
        }
    }
}
