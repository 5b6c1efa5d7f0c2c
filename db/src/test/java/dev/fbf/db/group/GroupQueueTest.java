package dev.fbf.db.group;

import static dev.fbf.db.group.GroupCommitContract.told;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.group.GroupCommit.Wait;
import dev.fbf.db.group.GroupCommitContract.Outcome.Refused;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which increments are the next, and how long others are waited for. */
@Timeout(20)
class GroupQueueTest {

    private static final long AN_HOUR = TimeUnit.HOURS.toNanos(1);
    private static final long FOR_EVER = Long.MAX_VALUE / 4;
    private static final Set<String> A = Set.of("a");

    @RegisterExtension
    static final TestClaims claims = new TestClaims();

    private final GroupQueue queue = new GroupQueue();
    private final FutureTask<Boolean> awaiting = new FutureTask<>(queue::awaitSome);
    private final Thread thread = new Thread(awaiting);
    private final GroupedIncrement a = claims.increment("a", 1);
    private final GroupedIncrement b = claims.increment("b", 1);

    @Test
    void whatWaitsIsTakenTogetherInTheOrderInWhichItCame() {
        assertThat(queue.add(a)).isTrue();
        assertThat(queue.add(b)).isTrue();
        assertThat(queue.size()).isEqualTo(2);

        assertThat(queue.take()).containsExactly(a, b);

        assertThat(queue.size()).isZero();
        assertThat(queue.take()).isEmpty();
    }

    @Test
    void whatDoesNotFitStaysForTheNextGroup() {
        GroupedIncrement less = claims.increment("a", -1);
        queue.add(a);
        queue.add(less);
        queue.add(b);

        assertThat(queue.take()).containsExactly(a, b);
        assertThat(queue.take()).containsExactly(less);
    }

    @Test
    void aGroupHas256AtMost() {
        for (int i = 0; i < 257; i++) {
            queue.add(claims.increment("a", 1));
        }

        assertThat(queue.take()).hasSize(256);
        assertThat(queue.take()).hasSize(1);
    }

    @Test
    void oneWhoseCallerHasGivenUpIsLeftOut() {
        queue.add(a);
        queue.add(b);
        told(a.await(Duration.ZERO));

        assertThat(queue.take()).containsExactly(b);
        assertThat(queue.size()).isZero();
    }

    @Test
    void thereIsNothingToWaitForOnceItIsClosedAndEmpty() throws Exception {
        queue.add(a);
        queue.close();

        assertThat(queue.add(b)).isFalse();
        assertThat(queue.awaitSome()).isTrue();
        assertThat(queue.take()).containsExactly(a);
        assertThat(queue.awaitSome()).isFalse();
    }

    @Test
    void whoWaitsForSomeIsWokenByTheFirst() throws Exception {
        FutureTask<Boolean> some = awaitSome(Thread.State.WAITING);

        queue.add(a);

        assertThat(some.get()).isTrue();
    }

    @Test
    void whoWaitsForSomeIsWokenWhenItIsClosed() throws Exception {
        FutureTask<Boolean> some = awaitSome(Thread.State.WAITING);

        queue.close();

        assertThat(some.get()).isFalse();
    }

    @Test
    void asManyAreWaitedForAsWereInTheLastGroup() throws Exception {
        queue.ended(3, FOR_EVER);
        FutureTask<Boolean> some = awaitSome(Thread.State.WAITING);
        queue.add(a);
        queue.add(b);
        awaitState(Thread.State.TIMED_WAITING);

        queue.add(claims.increment("c", 1));

        assertThat(some.get()).isTrue();
        assertThat(queue.size()).isEqualTo(3);
    }

    @Test
    void nobodyIsWaitedForOnceItIsClosed() throws Exception {
        queue.ended(2, FOR_EVER);
        queue.add(a);
        FutureTask<Boolean> some = awaitSome(Thread.State.TIMED_WAITING);

        queue.close();

        assertThat(some.get()).isTrue();
    }

    @Test
    void othersAreWaitedForNoLongerThanAnEighthOfTheTimeThatTheLastGroupTook() throws Exception {
        queue.ended(2, 7);
        FutureTask<Boolean> some = awaitSome(Thread.State.WAITING);

        queue.add(a);

        assertThat(some.get()).isTrue();
    }

    @Test
    void whoComesAloneWaitsForNobody() throws Exception {
        queue.ended(1, FOR_EVER);
        queue.add(a);

        assertThat(queue.awaitSome()).isTrue();
    }

    @Test
    void aCallerLeadsWhileTheThreadWaitsAndNobodyElseDoes() {
        assertThat(queue.tryLead()).as("there is no thread yet").isFalse();
        FutureTask<Boolean> some = awaitSome(Thread.State.WAITING);

        assertThat(queue.tryLead()).isTrue();
        assertThat(queue.tryLead()).as("another leads").isFalse();
        queue.endLead();

        assertThat(queue.tryLead()).isTrue();
        assertThat(some.isDone()).isFalse();
    }

    @Test
    void whatComesWhileACallerLeadsWaitsUntilItHasEnded() throws Exception {
        FutureTask<Boolean> some = awaitSome(Thread.State.WAITING);
        queue.tryLead();

        queue.add(a);
        queue.close();
        awaitState(Thread.State.WAITING);
        assertThat(some.isDone()).isFalse();
        queue.endLead();

        assertThat(some.get()).isTrue();
        assertThat(queue.take()).containsExactly(a);
    }

    @Test
    void noCallerLeadsWhereTheLastGroupHadMoreThanOne() {
        queue.ended(2, 1);
        FutureTask<Boolean> some = awaitSome(Thread.State.WAITING);

        assertThat(queue.tryLead()).isFalse();
        assertThat(some.isDone()).isFalse();
    }

    @Test
    void noCallerLeadsWhileARowIsLocked() {
        FutureTask<Boolean> some = awaitSome(Thread.State.WAITING);
        a.take();
        queue.putBack(List.of(a), A);

        assertThat(queue.tryLead()).isFalse();
        assertThat(some.isDone()).isFalse();
    }

    @Test
    void noCallerLeadsOnceItIsClosed() throws Exception {
        FutureTask<Boolean> some = awaitSome(Thread.State.WAITING);
        queue.close();
        some.get();

        assertThat(queue.tryLead()).isFalse();
    }

    @Test
    void incrementsOfALockedRowAreTriedAgainApartFromTheOthers() throws Exception {
        queue.add(a);
        queue.add(b);

        assertThat(queue.putBack(queue.take(), A)).containsExactly(b);

        GroupedIncrement joined = claims.increment("a", 1);
        queue.add(joined);
        assertThat(queue.size()).isEqualTo(2);
        assertThat(queue.take()).isEmpty();
        assertThat(queue.awaitSome()).isTrue();
        assertThat(queue.takeLocked()).containsExactly(a, joined);
    }

    @Test
    void whatWaitedAlreadyWhenItsRowWasFoundLockedIsTriedWithTheOthersOfTheRow() throws Exception {
        GroupedIncrement waiting = claims.increment("a", 1);
        queue.add(a);
        List<GroupedIncrement> group = queue.take();
        queue.add(waiting);
        queue.add(b);
        queue.putBack(group, A);

        assertThat(queue.take()).containsExactly(b);

        queue.awaitSome();
        assertThat(queue.takeLocked()).containsExactly(a, waiting);
    }

    @Test
    void ofALockedRowWhatDoesNotFitStaysAndIsNextWhenTheRowIsFree() throws Exception {
        GroupedIncrement less = claims.increment("a", -1);
        GroupedIncrement more = claims.increment("a", -2);
        List.of(a, less, more).forEach(GroupedIncrement::take);
        queue.putBack(List.of(a, less, more), A);
        queue.awaitSome();

        assertThat(queue.takeLocked()).containsExactly(a);
        assertThat(queue.size()).isEqualTo(2);
        queue.add(b);
        queue.endTry();

        assertThat(queue.size()).isEqualTo(3);
        assertThat(queue.take()).containsExactly(less, more, b);
    }

    @Test
    void oneOfALockedRowWhoseCallerHasGivenUpMeanwhileIsNewAgain() {
        queue.add(a);
        List<GroupedIncrement> group = queue.take();
        Thread.currentThread().interrupt();
        told(a.await(Duration.ZERO));
        assertThat(Thread.interrupted()).isTrue();

        assertThat(queue.putBack(group, A)).isEmpty();

        assertThat(queue.size()).isZero();
        assertThat(told(a.await(Duration.ZERO))).isEqualTo(new Refused(Refusal.TIMEOUT));
        assertThat(claims.retry(a)).isInstanceOf(Claim.class);
    }

    @Test
    void forARowThatIsLockedItIsWaitedNowAndThen() throws Exception {
        queue.ended(1, TimeUnit.MILLISECONDS.toNanos(20));
        a.take();
        queue.putBack(List.of(a), A);
        queue.awaitSome();
        List<GroupedIncrement> tried = queue.takeLocked();

        Wait wait = requireNonNull(queue.wait(tried));
        queue.waited(wait, AN_HOUR, false);

        assertThat(wait).isEqualTo(new Wait("a", Duration.ofMillis(40)));
        assertThat(queue.wait(tried)).isNull();
    }

    @Test
    void closedItGoesOnUntilThoseOfLockedRowsHaveHadTheirTurn() throws Exception {
        a.take();
        queue.putBack(List.of(a), A);
        queue.close();

        assertThat(queue.awaitSome()).isTrue();
        assertThat(queue.takeLocked()).containsExactly(a);
    }

    @Test
    void whileARowIsLockedOthersAreNotWaitedForLongerThanUntilItIsTriedAgain() throws Exception {
        queue.ended(2, FOR_EVER);
        queue.add(b);
        a.take();
        queue.putBack(List.of(a), A);

        assertThat(queue.awaitSome()).isTrue();
    }

    @Test
    void afterEachCallAnotherThreadCanCall() throws Exception {
        queue.add(a);
        queue.awaitSome();
        List<GroupedIncrement> group = queue.take();
        queue.ended(1, 1);
        queue.putBack(group, A);
        queue.awaitSome();
        queue.waited(requireNonNull(queue.wait(queue.takeLocked())), 1, true);
        queue.endTry();
        queue.size();
        queue.close();

        FutureTask<Integer> size = new FutureTask<>(queue::size);
        new Thread(size).start();

        assertThat(size.get()).isZero();
    }

    /** In a thread that is in this state by now. */
    private FutureTask<Boolean> awaitSome(Thread.State state) {
        thread.setDaemon(true);
        thread.start();
        awaitState(state);
        return awaiting;
    }

    private void awaitState(Thread.State state) {
        while (thread.getState() != state) {
            assertThat(thread.isAlive()).as("it still waits").isTrue();
        }
    }
}
