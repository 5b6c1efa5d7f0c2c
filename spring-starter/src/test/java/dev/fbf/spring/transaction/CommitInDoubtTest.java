package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.ConcurrentCall;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.ProcessesTest;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.DataAccessException;

/** COMMIT without a response: a retry gets the outcome, at once or when the database responds. */
@ExtendWith(OutputCaptureExtension.class)
class CommitInDoubtTest extends ProcessesTest {

    /** Longer than a settlement takes on a busy machine; no test waits for its end. */
    private static final String PATIENT = "test.settle-timeout=10s";

    private static final String IMPATIENT = "test.settle-timeout=200ms";

    private FragileDataSource fragile;
    private CountingApp app;
    private Counter counter;

    @BeforeEach
    void start() {
        fragile = new FragileDataSource(dataSource);
        start(PATIENT);
    }

    private void start(String settleTimeout) {
        app = CountingApp.start(fragile, directory, settleTimeout, "fbf.max-claims=2");
        counter = app.counter;
    }

    private void restart(String settleTimeout) {
        app.close();
        start(settleTimeout);
    }

    @AfterEach
    void stop() {
        app.close();
    }

    @Test
    void aCommitWithoutAResponseIsSettledWithinTheCallThatReturnsWhatTheMethodReturned() {
        fragile.breakNextCommit(FragileDataSource.Fate.UNANSWERED);
        assertThat(counter.count("a")).isEqualTo("counted");
        fragile.breakNextCommit(FragileDataSource.Fate.UNANSWERED);
        assertThat(counter.countTransactionally("b")).isEqualTo("counted");

        assertThat(counter.count("a")).isEqualTo("counted before: a");
        assertThat(counter.count("b")).isEqualTo("counted before: b");
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void aCommitThatNeverArrivedIsSettledWithinTheCallWhichMayBeRetried() {
        fragile.breakNextCommit(FragileDataSource.Fate.LOST);
        assertUnreachable(() -> counter.count("a"), DataAccessException.class);
        fragile.breakNextCommit(FragileDataSource.Fate.LOST);
        assertUnreachable(() -> counter.countTransactionally("b"), DataAccessException.class);

        assertThat(counted.value()).isZero();
        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(counter.count("b")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"UNANSWERED, counted before: a", "LOST, counted"})
    void theCallersCommitInDoubtIsSettledBehindItsBack(FragileDataSource.Fate fate, String truth) {
        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(() -> app.transaction.executeWithoutResult(status -> {
                    counter.count("a");
                    fragile.breakNextCommit(fate);
                }));

        // waits for that
        assertThat(counter.count("a")).isEqualTo(truth);
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void aRollbackWithoutAResponseFreesTheOperation() {
        RuntimeException thrown = new IllegalArgumentException("mine");

        assertThatThrownBy(() -> counter.countAnd("a", () -> {
                    fragile.breakNextRollback();
                    throw thrown;
                }))
                .isSameAs(thrown);

        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"UNANSWERED, counted before: a", "LOST, counted"})
    void whileTheDatabaseCannotBeReachedNobodyIsToldMoreThanIsKnown(
            FragileDataSource.Fate fate, String truth, CapturedOutput output) {
        restart(IMPATIENT);
        fragile.breakNextCommitAndCutOff(fate);

        for (int attempt = 0; attempt < 2; attempt++) {
            assertUnavailable(() -> counter.count("a"))
                    .withMessageContaining("whether the operation was applied is not known yet");
        }
        assertThat(app.status.inDoubt()).hasSize(1);
        assertThat(app.status.areReady()).isTrue();
        fragile.reconnect();

        await().until(() -> app.status.inDoubt().size() == 0);
        assertThat(counter.count("a")).isEqualTo(truth);
        assertThat(counted.value()).isEqualTo(1);
        assertThat(output)
                .containsOnlyOnce("database=\"transactions\" The database transactions does not respond (")
                .contains("): 1 transactions are in doubt.");
        await().untilAsserted(() ->
                assertThat(output).contains("All transactions in doubt in the database transactions are settled"));
    }

    @Test
    void aCallAndItsRetryWaitUntilTheDatabaseCanBeReachedAgain() throws Exception {
        fragile.breakNextCommitAndCutOff(FragileDataSource.Fate.UNANSWERED);
        CompletableFuture<String> call = ConcurrentCall.start(() -> counter.count("a"));
        await().until(() -> app.status.inDoubt().size() == 1);
        CompletableFuture<String> retry = ConcurrentCall.startAndAwaitWaiting(() -> counter.count("a"));
        fragile.reconnect();

        assertThat(call.get()).isEqualTo("counted");
        assertThat(retry.get()).isEqualTo("counted before: a");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void aTransactionThatTheServerKeepsOpenIsEndedSoThatItsOperationIsNew(CapturedOutput output) {
        fragile.breakNextCommit(FragileDataSource.Fate.UNHEARD);
        assertUnreachable(() -> counter.count("a"), DataAccessException.class);

        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(1);
        assertThat(output).containsOnlyOnce("A transaction in doubt was still open in the database transactions");
    }

    @ParameterizedTest
    @CsvSource({"true, counted before: a", "false, counted"})
    void aTransactionThatIsStillOpenIsNotJudgedBeforeItEnds(boolean commits, String truth) {
        restart(IMPATIENT);
        fragile.breakNextCommit(FragileDataSource.Fate.STUCK);
        assertUnavailable(() -> counter.count("a"));
        assertUnavailable(() -> counter.count("a"));

        fragile.endStuck(commits);

        await().until(() -> app.status.inDoubt().size() == 0);
        assertThat(counter.count("a")).isEqualTo(truth);
        assertThat(counted.value()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void slotsWhoseTokensSomebodyChangedAreUsedAgainOnceTheFirstWasFoundOut(boolean transactional) {
        counter.count("first");
        counter.count("second");
        counted.changeTokens(app.status.nodeId());

        assertUnavailable(() -> count("a", transactional))
                .withMessageContaining("the outcome of earlier transactions is not known yet");

        await().until(() -> app.status.inDoubt().size() == 0);
        assertThat(count("a", transactional)).isEqualTo("counted");
        assertThat(count("b", transactional)).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(4);
    }

    private static void assertUnreachable(ThrowingCallable call, Class<? extends Throwable> cause) {
        assertUnavailable(call)
                .withMessageContaining("was not applied")
                .withCauseInstanceOf(cause)
                .matches(refusal -> refusal.reason() == OperationOutcome.UNREACHABLE);
    }

    private String count(String key, boolean transactional) {
        return transactional ? counter.countTransactionally(key) : counter.count(key);
    }
}
