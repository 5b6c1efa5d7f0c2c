package dev.fbf.db.group;

import static dev.fbf.db.group.GroupCommitContract.told;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.group.GroupCommitContract.Outcome;
import dev.fbf.db.group.GroupCommitContract.Outcome.Alone;
import dev.fbf.db.group.GroupCommitContract.Outcome.Applied;
import dev.fbf.db.group.GroupCommitContract.Outcome.Failed;
import dev.fbf.db.group.GroupCommitContract.Outcome.Refused;
import dev.fbf.db.group.GroupCommitContract.Outcome.Unknown;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(20)
class GroupedIncrementTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestClaims claims = new TestClaims();

    private final Throwable reason = new IllegalStateException("mine");
    private final GroupedIncrement increment = claims.increment("a", 1);

    @Test
    void oneWhoseCallerHasGivenUpBeforeItsTurnIsNewAgainAndNeverTaken() {
        assertThat(told(increment.await(Duration.ZERO))).isEqualTo(new Refused(Refusal.TIMEOUT));

        assertThat(increment.take()).isFalse();
        assertThat(claims.retry(increment)).isInstanceOf(Claim.class);
    }

    /** The interrupt stands for the time that a turn may take. */
    @Test
    void oneWhoseCallerHasGivenUpDuringItsTurnIsNewAgainWhenItsGroupFails() {
        increment.take();
        Thread.currentThread().interrupt();
        assertThat(told(increment.await(LONG))).isEqualTo(Unknown.YET);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(claims.retry(increment)).isEqualTo(Refusal.IN_PROGRESS);

        increment.sendAlone();

        assertThat(claims.retry(increment)).isInstanceOf(Claim.class);
        assertThat(told(increment.await(LONG))).isEqualTo(new Refused(Refusal.TIMEOUT));
    }

    @Test
    void aCallerWhoIsInterruptedBeforeItsTurnStaysInterrupted() {
        Thread.currentThread().interrupt();

        assertThat(told(increment.await(LONG))).isEqualTo(new Refused(Refusal.TIMEOUT));

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void theCallerIsToldTheOutcomeAsSoonAsItIsKnown() throws Exception {
        increment.take();
        FutureTask<Outcome> outcome = new FutureTask<>(() -> told(increment.await(LONG)));
        Thread caller = new Thread(outcome);
        caller.start();
        while (caller.getState() != Thread.State.TIMED_WAITING
                && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }

        increment.done(1L, null, null, null);

        assertThat(outcome.get()).isEqualTo(new Applied(1));
    }

    @Test
    void oneWhoseGroupFailsGoesAloneWithItsClaim() {
        increment.take();

        increment.sendAlone();

        assertThat(told(increment.await(LONG))).isEqualTo(Alone.WITH_CLAIM);
        assertThat(increment.claim().isHeld()).isTrue();
    }

    @Test
    void aCallerWhoGivesUpTooLateIsToldTheOutcome() {
        increment.take();
        increment.done(1L, null, null, null);

        assertThat(told(increment.await(Duration.ZERO))).isEqualTo(new Applied(1));
    }

    @Test
    void eachIsToldTheValueThatItMakesIfTheyComeOneAfterAnother() {
        List<GroupedIncrement> group = List.of(
                claims.increment("a", 1),
                claims.increment("b", -5),
                claims.increment("a", 2),
                claims.increment("a", 4),
                claims.increment("b", -6));

        GroupedIncrement.tell(group, Map.of("a", 107L, "b", -11L));

        assertThat(group)
                .extracting(each -> told(each.await(LONG)))
                .containsExactly(
                        new Applied(101), new Applied(-5), new Applied(103), new Applied(107), new Applied(-11));
    }

    @Test
    void whileItsClaimIsHeldAFailureMeansThatNothingWasDone() {
        increment.failed(reason);

        assertThat(told(increment.await(LONG))).isEqualTo(new Failed(reason));
        assertThat(claims.retry(increment)).isInstanceOf(Claim.class);
    }

    @Test
    void afterItsClaimHasEndedAFailureTellsNothing() {
        increment.claim().applied();

        increment.failed(reason);

        assertThat(told(increment.await(LONG))).isEqualTo(new Unknown(reason, null));
    }

    @Test
    void oneInDoubtIsLeftToTheLedgerWhetherItsClaimIsHeldOrNot() {
        GroupedIncrement ended = claims.increment("a", 1);
        ended.claim().applied();

        increment.doubted(reason);
        ended.doubted(reason);

        assertThat(told(increment.await(LONG))).isEqualTo(new Unknown(reason, null));
        assertThat(claims.retry(increment)).isInstanceOf(Claim.class);
        assertThat(told(ended.await(LONG))).isEqualTo(new Unknown(reason, null));
    }

    @Test
    void whatIsKnownDoesNotChange() {
        increment.done(1L, null, null, null);

        increment.failed(reason);
        increment.doubted(reason);

        assertThat(told(increment.await(LONG))).isEqualTo(new Applied(1));
        assertThat(increment.claim().isHeld()).isTrue();
    }

    @Test
    void oneThatIsRefusedIsNewAgain() {
        increment.refused(Refusal.CONFLICT);

        assertThat(told(increment.await(LONG))).isEqualTo(new Refused(Refusal.CONFLICT));
        assertThat(claims.retry(increment)).isInstanceOf(Claim.class);
    }
}
