package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fbf.core.filter.WatchedFilter.WatchedArena;
import java.util.List;
import org.junit.jupiter.api.Test;

class FilterTallyTest {

    private final FilterTally tally = new FilterTally();

    @Test
    void countsTheTurnsOfEachArenaSinceItWasFirstSeen() {
        tally.look(List.of(arena(1, 100, 7)), 0);
        tally.look(List.of(arena(1, 100, 9), arena(2, 200, 7)), 0);
        tally.look(List.of(arena(1, 100, 10), arena(2, 200, 8)), 0);
        assertThat(tally.refreshes()).isEqualTo(4);
    }

    @Test
    void tellsGrowthFromShrinkingAndDoesNotCountTheFirstArena() {
        tally.look(List.of(), 0);
        tally.look(List.of(arena(1, 100, 7)), 0);
        assertThat(tally.larger()).isZero();
        assertThat(tally.isLarge()).isFalse();

        tally.look(List.of(arena(1, 100, 7), arena(2, 200, 7)), 0);
        assertThat(tally.larger()).isEqualTo(1);
        assertThat(tally.smaller()).isZero();
        assertThat(tally.isLarge()).isTrue();

        // a number is left out where there was no room
        tally.look(List.of(arena(1, 100, 7), arena(2, 200, 7), arena(4, 100, 7)), 0);
        assertThat(tally.larger()).isEqualTo(1);
        assertThat(tally.smaller()).isEqualTo(1);
        assertThat(tally.isLarge()).isFalse();
    }

    @Test
    void countsWhatIsNotThereAnyMore() {
        tally.look(List.of(arena(1, 100, 7), arena(2, 200, 7)), 0);
        assertThat(tally.dropped()).isZero();
        tally.look(List.of(arena(2, 200, 7)), 0);
        tally.look(List.of(arena(2, 200, 7)), 0);
        assertThat(tally.dropped()).isEqualTo(1);
    }

    @Test
    void expectsAsManyFalsePositivesAsTheHigherOfTwoEstimatesSays() {
        tally.look(List.of(mistaken(1, 0.001)), 0);
        tally.look(List.of(mistaken(1, 0.002)), 1_000);
        assertThat(tally.expectedFalsePositives()).isCloseTo(2, within(1e-9));
        tally.look(List.of(mistaken(1, 0)), 1_000);
        assertThat(tally.expectedFalsePositives()).isCloseTo(4, within(1e-9));
        tally.look(List.of(mistaken(1, 0)), 1_000);
        assertThat(tally.expectedFalsePositives()).isCloseTo(4, within(1e-9));
    }

    @Test
    void takesAnOperationForAnotherOfAnyArena() {
        tally.look(List.of(mistaken(1, 0.5), mistaken(2, 0.5)), 100);
        assertThat(tally.expectedFalsePositives()).isCloseTo(75, within(1e-9));
    }

    private static WatchedArena arena(long number, long bytes, long epoch) {
        return new WatchedArena(number, bytes, epoch, 0);
    }

    private static WatchedArena mistaken(long number, double fpp) {
        return new WatchedArena(number, 100, 7, fpp);
    }
}
