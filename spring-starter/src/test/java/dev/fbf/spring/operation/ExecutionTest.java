package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** States of an execution that no test of an application tells apart, with a transaction that ends as a test says. */
class ExecutionTest {

    private final OperationObservationContext observed = new OperationObservationContext("scope");
    private final HeldClaim claim = new HeldClaim();
    private final OneTransaction transaction = new OneTransaction();
    private OneCall call = new OneCall(null);

    @Test
    void theClaimOfAnOperationThatWasEnteredIsItsTransactions() {
        assertThat(run(() -> "done")).isEqualTo("done");

        assertThat(claim.held).isTrue();
        assertThat(observed.getOutcome()).isNull();
        assertThat(call.isRolledBack()).isFalse();
        assertThat(call.followsCaller()).isFalse();
        assertThat(transaction.returned).isTrue();
    }

    @Test
    void aRefusalAfterTheEntryLeavesTheClaimToTheTransaction() {
        OperationRefusedException tooOld = Refusals.heldBack("scope", Duration.ofSeconds(10));

        assertThatThrownBy(() -> run(() -> {
                    throw call.refuse(tooOld);
                }))
                .isSameAs(tooOld);

        assertThat(claim.held).isTrue();
    }

    @Test
    void theOutcomeIsPendingAsLongAsTheCallersTransactionIsOpen() {
        call = new OneCall(transaction);

        run(() -> "done");

        assertThat(observed.getOutcome()).isEqualTo(OperationOutcome.PENDING);
        assertThat(call.followsCaller()).isTrue();
        assertThat(call.transaction()).isSameAs(transaction);

        transaction.end = OperationTransaction.State.COMMITTED;
        assertThat(call.followsCaller()).isFalse();
        assertThat(call.isRolledBack()).isFalse();
    }

    @Test
    void theOutcomeFollowsNoTransactionWhoseEndWasNotReported() {
        call = new OneCall(transaction);
        run(() -> "done");

        transaction.completed = true;

        assertThat(call.followsCaller()).isFalse();
    }

    @Test
    void aFailureAfterItsCommitIsNotTakenForAnOutage() {
        transaction.end = OperationTransaction.State.COMMITTED;
        call.unavailability = Refusal.UNREACHABLE;
        call.atCommit = new IllegalStateException("of a callback");

        assertThatThrownBy(() -> run(() -> "done")).isSameAs(call.atCommit);
    }

    @Test
    void aFileThatFailsRefuses() {
        call.atCommit = new StorageException("file", "disk full", new IllegalStateException());

        assertRefused(OperationOutcome.STOPPED);
    }

    @Test
    void aTransactionThatProvesNothingRefuses() {
        transaction.failedEntry = Refusal.RECOVERING;
        call.atCommit = new IllegalStateException("of the first SQL");

        assertRefused(OperationOutcome.RECOVERING);
    }

    @Test
    void anEntryThatFailsFreesTheClaim() {
        IllegalStateException failure = new IllegalStateException("no INSERT");
        call.atEntry = failure;

        assertThatThrownBy(() -> run(() -> fail("called"))).isSameAs(failure);

        assertThat(claim.held).isFalse();
    }

    @Test
    void anEntryThatFailsIsNotInDoubt() {
        IllegalStateException failure = new IllegalStateException("no INSERT");
        call.atEntry = failure;
        transaction.end = OperationTransaction.State.IN_DOUBT;
        transaction.settled = Refusal.IN_DOUBT;

        assertThatThrownBy(() -> run(() -> fail("called"))).isSameAs(failure);
    }

    @Test
    void anExecutionThatIsRefusedBeforeItsEntryFreesTheClaim() {
        call.recorded = Refusal.APPLIED;

        run(() -> fail("called"));

        assertThat(call.refusal()).isEqualTo(Refusal.APPLIED);
        assertThat(claim.held).isFalse();
    }

    @Test
    void aRefusalOfItsOwnThatTheWorkPassesOnIsNoted() {
        call.refusal = Refusals.heldBack("scope", Duration.ofSeconds(10));

        assertThatThrownBy(() -> run(() -> fail("called"))).isSameAs(call.refusal);

        assertThat(observed.getOutcome()).isEqualTo(OperationOutcome.HELD_BACK);
        assertThat(claim.held).isFalse();
        assertThat(call.isRolledBack()).isTrue();
    }

    @Test
    void aRefusalOfACallWithinTheWorkIsNotItsOwn() {
        OperationRefusedException ofAnother = Refusals.of(Refusal.IN_PROGRESS, "another", null);

        assertThatThrownBy(() -> run(() -> {
                    throw ofAnother;
                }))
                .isSameAs(ofAnother);

        assertThat(observed.getOutcome()).isNull();
    }

    @Test
    void anExecutionThatWasRefusedHasNoClaim() {
        call.recorded = Refusal.APPLIED;
        run(() -> fail("called"));

        assertThatIllegalStateException().isThrownBy(call::claimed).withMessageContaining("was refused before");
    }

    @Test
    void anUnguardedCallHasNoOutcome() {
        Execution unguarded = new Execution("scope", List.of(), null, Duration.ZERO);

        assertThat(unguarded.<String, RuntimeException>call(() -> "done")).isEqualTo("done");

        unguarded.returned("done");
        assertThat(unguarded.followsCaller()).isFalse();
        assertThat(unguarded.isRolledBack()).isFalse();
        assertThat(unguarded.transaction()).isNull();
    }

    private @Nullable String run(IdempotentScope.Work<String, RuntimeException> work) {
        return call.run(observed, its -> its.call(work));
    }

    private void assertRefused(OperationOutcome reason) {
        assertThatExceptionOfType(OperationRefusedException.class)
                .isThrownBy(() -> run(() -> "done"))
                .matches(e -> e.reason() == reason)
                .withCause(call.atCommit);
        assertThat(observed.getOutcome()).isEqualTo(reason);
    }

    private static final class HeldClaim implements Claim {

        boolean held = true;

        @Override
        public OperationId id() {
            return OperationId.of("scope", "", "key");
        }

        @Override
        public Duration retryWindow() {
            return Duration.ofHours(1);
        }

        @Override
        public boolean isHeld() {
            return held;
        }

        @Override
        public void applied() {
            free();
        }

        @Override
        public void free() {
            assertThat(held).isTrue();
            held = false;
        }
    }

    private static final class OneTransaction implements CallTransaction {

        OperationTransaction.State end = OperationTransaction.State.OPEN;
        boolean completed;
        boolean returned;

        @Nullable Refusal failedEntry;

        @Nullable Refusal settled;

        @Override
        public void returned(Claim its) {
            returned = true;
        }

        @Override
        public OperationTransaction.State state(Claim its) {
            return end;
        }

        @Override
        public boolean isCompleted() {
            return completed;
        }

        @Override
        public @Nullable Refusal failedEntry(Claim its, Duration timeout) {
            return failedEntry;
        }

        @Override
        public @Nullable Refusal awaitSettled(Claim its, Throwable failure, Duration timeout) {
            return end == OperationTransaction.State.IN_DOUBT ? settled : null;
        }
    }

    /** Enters the operation in the transaction, calls the work, and fails where a test wants it. */
    private final class OneCall extends Execution {

        @Nullable Refusal unavailability;

        @Nullable OperationRefusedException refusal;

        @Nullable Refusal recorded;

        @Nullable RuntimeException atEntry;

        @Nullable RuntimeException atCommit;

        OneCall(@Nullable CallTransaction caller) {
            super("scope", List.of(new Claimed(new Operation(claim.id(), "key"), claim)), caller, Duration.ZERO);
        }

        @Override
        protected @Nullable Refusal unavailability(Throwable failure, @Nullable CallTransaction entered) {
            return unavailability;
        }

        @Override
        public <T extends @Nullable Object, E extends Throwable> @Nullable T call(IdempotentScope.Work<T, E> work)
                throws E {
            if (refusal != null) {
                throw refuse(refusal);
            }
            List<Claimed> entering = claimed();
            if (recorded != null) {
                refuse(recorded);
                return null;
            }
            if (atEntry != null) {
                notEntered(List.of(), transaction);
                throw atEntry;
            }
            entered(entering, transaction);
            T result = work.run();
            returned(result);
            if (atCommit != null) {
                throw atCommit;
            }
            return result;
        }
    }
}
