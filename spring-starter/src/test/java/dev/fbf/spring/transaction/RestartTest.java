package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.ProcessesTest;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * Processes that died with an operation in progress, and those that come after them: these find the directory as it was
 * at that moment.
 */
@ExtendWith(OutputCaptureExtension.class)
class RestartTest extends ProcessesTest {

    @BeforeEach
    void migrate() {
        FbfSchema.migrate(dataSource, null);
    }

    @Test
    void whileTheDatabaseIsDownAtStartNothingIsApplied() {
        dieAfterCommit("a");
        FragileDataSource down = new FragileDataSource(dataSource);
        down.cutOff();

        try (CountingApp app = start(down, "second", "fbf.schema.migrate=false", "test.settle-timeout=100ms")) {
            for (String key : new String[] {"a", "b"}) {
                assertUnavailable(() -> app.counter.count(key))
                        .withMessageContaining("the outcome of earlier transactions is not known yet");
            }
            assertThat(app.status.areReady()).isFalse();

            down.reconnect();
            await().until(app.status::areReady);
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");
            assertThat(app.counter.count("b")).isEqualTo("counted");
        }
        assertThat(counted.value()).isEqualTo(2);
    }

    @Tag("slow")
    @Test
    void aTransactionThatOutlivedItsProcessHoldsUpTheScopeUntilItEnds() {
        FragileDataSource fragile = new FragileDataSource(dataSource);
        try (CountingApp app = start(fragile, "first", "test.settle-timeout=1ms")) {
            fragile.breakNextCommit(FragileDataSource.Fate.STUCK);
            assertUnavailable(() -> app.counter.count("a"));
        }
        die();

        try (CountingApp app = start("second")) {
            assertThat(app.status.areReady()).isFalse();
            assertUnavailable(() -> app.counter.count("b"));

            fragile.endStuck(true);
            await().until(app.status::areReady);
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");
            assertThat(app.counter.count("b")).isEqualTo("counted");
        }
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void aConnectionThatOutlivedItsProcessIsEndedAndHoldsUpNothing(CapturedOutput output) {
        FragileDataSource fragile = new FragileDataSource(dataSource);
        try (CountingApp app = start(fragile, "first", "test.settle-timeout=1ms")) {
            fragile.breakNextCommitAndCutOff(FragileDataSource.Fate.UNHEARD);
            assertUnavailable(() -> app.counter.count("a"));
            die();
        }

        try (CountingApp app = start("second")) {
            assertThat(app.counter.count("b")).isEqualTo("counted");
            assertThat(app.counter.count("a")).isEqualTo("counted");
            assertThat(output)
                    .containsOnlyOnce("Recovered 1 operations that the last process left in doubt in the database"
                            + " transactions; ");
        }
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void operationsOfOneTransactionAreSettledTogether() {
        FragileDataSource fragile = new FragileDataSource(dataSource);
        try (CountingApp app = start(fragile, "first", "test.settle-timeout=1ms")) {
            fragile.breakNextCommitAndCutOff(FragileDataSource.Fate.UNANSWERED);
            assertThatThrownBy(() -> app.transaction.executeWithoutResult(status -> {
                app.counter.count("a");
                app.counter.count("b");
                assertThatThrownBy(() -> app.counter.countNestedAnd("undone", () -> {
                            throw new IllegalArgumentException("mine");
                        }))
                        .hasMessage("mine");
            }));
            die();
        }

        try (CountingApp app = start("second")) {
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");
            assertThat(app.counter.count("b")).isEqualTo("counted before: b");
            assertThat(app.counter.count("undone")).isEqualTo("counted");
        }
        assertThat(counted.value()).isEqualTo(3);
    }

    /** Files and database are not of the same time, or somebody has changed a row. */
    @Test
    void anOperationInDoubtWhoseRowHasAnotherTokenIsHeldBackAndSoAreAllOthers(CapturedOutput output) {
        UUID node = dieAfterCommit("a");
        counted.changeTokens(node);

        try (CountingApp app = start("second", "test.settle-timeout=100ms")) {
            assertThat(output)
                    .contains(
                            "The directory of this node is older than the database transactions, or the database was");
            assertUnavailable(() -> app.counter.count("a")).withMessageContaining("operations are held back");
            assertUnavailable(() -> app.counter.count("b")).withMessageContaining("operations are held back");
        }
        assertThat(counted.value()).isEqualTo(1);
    }

    private @Nullable UUID dieAfterCommit(String key) {
        FragileDataSource fragile = new FragileDataSource(dataSource);
        try (CountingApp app = start(fragile, "first", "test.settle-timeout=1ms")) {
            fragile.breakNextCommitAndCutOff(FragileDataSource.Fate.UNANSWERED);
            assertUnavailable(() -> app.counter.count(key));
            die();
            return app.status.nodeId();
        }
    }

    /** The process ends here: what it does from now on, the next one's directory does not know. */
    private void die() {
        die("first", "second");
    }
}
