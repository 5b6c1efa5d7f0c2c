package dev.fbf.db.group;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.db.group.GroupCommit.Wait;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When the increments of locked rows are tried again, by a clock that is moved by hand. */
class LockedCountersTest {

    private static final long MILLI = 1_000_000;

    @RegisterExtension
    static final TestClaims claims = new TestClaims();

    /** The sum of two such times overflows, as those of a machine may. */
    private long now = Long.MAX_VALUE - 5 * MILLI;

    private final LockedCounters locked = new LockedCounters(() -> now);
    private final GroupedIncrement a = claims.increment("a", 1);
    private final GroupedIncrement b = claims.increment("b", 1);

    @Test
    void aRowIsTriedAgainAfterAMillisecondAndEachTimeAfterTwiceAsLongUpTo32() {
        for (long pause : new long[] {1, 2, 4, 8, 16, 32, 32}) {
            locked.putBack(List.of(a));
            locked.endTry();
            assertThat(locked.nanosUntilDue()).isEqualTo(pause * MILLI);
            now += pause * MILLI - 1;
            assertThat(locked.takeDue()).isEmpty();
            now++;
            assertThat(locked.nanosUntilDue()).isZero();
            assertThat(locked.takeDue()).containsExactly(a);
        }
    }

    @Test
    void severalOfARowThatIsFoundLockedOnceMakeItsPauseNoLonger() {
        GroupedIncrement another = claims.increment("a", 1);
        locked.putBack(List.of(a, another));
        now += MILLI;
        locked.takeDue();

        locked.putBack(List.of(a, another));

        assertThat(locked.nanosUntilDue()).isEqualTo(2 * MILLI);
    }

    @Test
    void theNextRowIsDueFirst() {
        locked.putBack(List.of(a));
        now += MILLI / 4;
        locked.putBack(List.of(b));
        now += MILLI / 2;

        assertThat(locked.nanosUntilDue()).isEqualTo(MILLI / 4);
        now += MILLI / 4;
        assertThat(locked.takeDue()).containsExactly(a);
        locked.endTry();
        assertThat(locked.size()).isEqualTo(1);
        assertThat(locked.nanosUntilDue()).isEqualTo(MILLI / 4);
    }

    @Test
    void withoutALockedRowNothingIsEverDue() {
        assertThat(locked.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
        assertThat(locked.isEmpty()).isTrue();
        assertThat(locked.takeDue()).isEmpty();
        assertThat(locked.endTry()).isEmpty();
    }

    @Test
    void whatComesForALockedRowStandsBehindWhatWasThereAndWhatComesForAnotherDoesNotJoin() {
        GroupedIncrement second = claims.increment("a", 1);
        GroupedIncrement third = claims.increment("a", 1);
        assertThat(locked.join(third)).isFalse();
        locked.putBack(List.of(a, second));
        now += MILLI;
        locked.takeDue();

        assertThat(locked.join(third)).isTrue();
        assertThat(locked.join(b)).isFalse();
        locked.putBack(List.of(a, second));

        assertThat(locked.endTry()).as("it was locked still").isEmpty();
        assertThat(locked.size()).isEqualTo(3);
        now += 2 * MILLI;
        assertThat(locked.takeDue()).containsExactly(a, second, third);
        assertThat(locked.size()).isZero();
    }

    @Test
    void aRowThatATryFindsFreeIsForgottenAndWhatHasJoinedGoesOn() {
        GroupedIncrement joined = claims.increment("a", 1);
        locked.putBack(List.of(a));
        now += MILLI;
        locked.takeDue();
        locked.join(joined);
        assertThat(locked.isEmpty()).isFalse();

        assertThat(locked.endTry()).containsExactly(joined);

        assertThat(locked.isEmpty()).isTrue();
        assertThat(locked.join(joined)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "10, 20", "31, 62", "40, 64"})
    void theFirstWaitForARowIsTwiceAsLongAsAGroupTakesFrom8MillisecondsTo64(long took, long wait) {
        locked.groupTook(took * MILLI);

        assertThat(locked.wait(tried(a))).isEqualTo(new Wait("a", Duration.ofMillis(wait)));
    }

    @Test
    void theFirstWaitForARowIs8MillisecondsIfNoGroupHasEnded() {
        assertThat(locked.wait(tried(a))).isEqualTo(new Wait("a", Duration.ofMillis(8)));
    }

    @ParameterizedTest
    @CsvSource({"true, 4", "false, 2"})
    void aWaitIsFollowedByATimeWithoutOne(boolean inVain, long rest) {
        Wait wait = requireNonNull(locked.wait(tried(a)));
        now += 8 * MILLI;
        locked.waited(wait, 8 * MILLI, inVain);
        List<GroupedIncrement> tried = tried(b);

        now += (rest * 8 - 1) * MILLI - 1;
        assertThat(locked.wait(tried)).isNull();
        now++;
        assertThat(locked.wait(tried)).isEqualTo(new Wait("b", Duration.ofMillis(8)));
    }

    @Test
    void theSameRowIsWaitedForAgainAfter64TimesAsLongAndForTwiceAsLong() {
        List<GroupedIncrement> tried = tried(a);
        for (long millis : new long[] {8, 16, 32, 64, 64}) {
            Wait wait = requireNonNull(locked.wait(tried));
            assertThat(wait).isEqualTo(new Wait("a", Duration.ofMillis(millis)));
            locked.waited(wait, 3 * MILLI, true);

            now += 64 * 3 * MILLI - 1;
            assertThat(locked.wait(tried)).isNull();
            now++;
        }
    }

    @Test
    void theRowWhoseTurnWasLongestAgoIsWaitedFor() {
        locked.putBack(List.of(a));
        now += MILLI;
        locked.putBack(List.of(b));
        now += MILLI;
        List<GroupedIncrement> due = List.copyOf(locked.takeDue());

        Wait wait = requireNonNull(locked.wait(List.of(b, a)));
        assertThat(wait.counter()).isEqualTo("a");
        locked.waited(wait, MILLI / 100, false);
        now += MILLI;

        assertThat(due).containsExactly(a, b);
        assertThat(requireNonNull(locked.wait(due)).counter()).isEqualTo("b");
    }

    @Test
    void forARowThatIsNotLockedNobodyCanWait() {
        assertThatIllegalStateException()
                .isThrownBy(() -> locked.wait(List.of(a)))
                .withMessage("counter=a: is not locked");
    }

    /** Found locked, and due. */
    private List<GroupedIncrement> tried(GroupedIncrement increment) {
        locked.putBack(List.of(increment));
        now += MILLI;
        return List.copyOf(locked.takeDue());
    }
}
