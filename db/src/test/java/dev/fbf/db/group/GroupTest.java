package dev.fbf.db.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which increments one statement can apply. */
class GroupTest {

    private final TestClaims claims = new TestClaims();

    private final Deque<GroupedIncrement> queue = new ArrayDeque<>();

    @ParameterizedTest
    @CsvSource({
        "2, 3, true",
        "-2, -3, true",
        "2, -1, false",
        "2, -3, false",
        "-2, 1, false",
        "-2, 3, false",
        "9223372036854775806, 1, true",
        "9223372036854775806, 2, false",
        "-9223372036854775807, -1, true",
        "-9223372036854775807, -2, false",
        "-9223372036854775808, -9223372036854775808, false"
    })
    void oneFitsIfItAddsToTheCounterWhereTheOthersAddAndTheSumIsInRange(long first, long next, boolean fits) {
        GroupedIncrement one = add("a", first);
        GroupedIncrement other = add("a", next);
        GroupedIncrement ofAnother = add("b", next);

        assertThat(Group.takeFrom(queue)).isEqualTo(fits ? List.of(one, other, ofAnother) : List.of(one, ofAnother));

        assertThat(List.copyOf(queue)).isEqualTo(fits ? List.of() : List.of(other));
    }

    @Test
    void theSumOfAllCounts() {
        add("a", 1);
        add("a", Long.MAX_VALUE - 2);
        GroupedIncrement tooMuch = add("a", 2);
        add("a", 1);

        assertThat(Group.takeFrom(queue)).hasSize(3);
        assertThat(queue).containsExactly(tooMuch);
    }

    @Test
    void aGroupHas256AtMost() {
        for (int i = 0; i < 257; i++) {
            add("a", 1);
        }

        assertThat(Group.takeFrom(queue)).hasSize(256);
        assertThat(Group.takeFrom(queue)).hasSize(1);
    }

    @Test
    void oneWhoseCallerHasStoppedWaitingIsLeftOut() {
        add("a", 1).awaitEnd(Duration.ZERO);
        GroupedIncrement waits = add("b", 1);

        assertThat(Group.takeFrom(queue)).containsExactly(waits);
        assertThat(queue).isEmpty();
    }

    private GroupedIncrement add(String counter, long delta) {
        GroupedIncrement increment = claims.increment(counter, delta);
        queue.add(increment);
        return increment;
    }
}
