package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A transaction that goes back to a savepoint undoes the operations since, and no others. */
@Tag("slow")
@GuardedApp
class SavepointsTest extends CountingAppTest {

    private final RuntimeException mine = new IllegalArgumentException("mine");

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
}
