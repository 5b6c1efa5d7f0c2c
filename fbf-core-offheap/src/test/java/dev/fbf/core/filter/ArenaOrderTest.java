package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.ForcedWords;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Death;
import dev.fbf.core.witness.Stores;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The orders in which an arena writes and forces: each of them counts when the process dies, or the power fails. */
class ArenaOrderTest {

    private static final OperationId OPERATION = new OperationId(1, 2);
    private static final FilterPlan PLAN = new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan();
    private static final Duration PERIOD = PLAN.period();
    private static final long SIZE = PLAN.bytes() / Long.BYTES;

    private final HandClock clock = new HandClock();
    private final FilterClock filterClock = FilterClock.of(clock);

    @Test
    void aRefreshThatDiesAtAnyStoreForgetsNothingEarlyAndEverythingLate() {
        int stores = 0;
        while (refreshDies(stores)) {
            stores++;
        }
        assertThat(stores).as("stores of a refresh").isGreaterThan(3);
    }

    private boolean refreshDies(int stores) {
        Words words = new HeapWords(SIZE);
        Arena arena = HeapArenas.arena(PLAN, words, filterClock);
        // for so long that the words for the times at which generations were sealed are used again
        for (int i = 0; i < 2 * PLAN.laneBits(); i++) {
            clock.advance(PERIOD);
            arena.refreshIfDue();
        }
        // late in its period: the generations before are outlived long before it
        clock.advance(PERIOD.minusMillis(1));
        arena.put(OPERATION, false);
        clock.advance(Duration.ofMillis(1));
        boolean dies = false;
        try {
            new Arena(PLAN, Stores.until(stores).of(words), filterClock).refreshIfDue();
        } catch (Death e) {
            dies = true;
        }

        Arena next = new Arena(PLAN, words, filterClock);
        next.sealAfterCrash();
        next.refreshIfDue();
        Duration step = PERIOD.dividedBy(4);
        for (Duration age = Duration.ofMillis(1); age.compareTo(PLAN.window()) < 0; age = age.plus(step)) {
            assertThat(next.mightContain(OPERATION))
                    .as("%s old, dead after %d stores", age, stores)
                    .isTrue();
            pass(next, step);
        }
        for (int i = 0; i < 3; i++) {
            pass(next, PERIOD);
        }
        assertThat(next.mightContain(OPERATION))
                .as("late, dead after %d stores", stores)
                .isFalse();
        return dies;
    }

    private void pass(Arena arena, Duration duration) {
        clock.advance(duration);
        arena.refreshIfDue();
    }

    /** Else a power failure would not be noticed after a clean shutdown and a start. */
    @Test
    void isOpenOnTheDiskOnceItIsOpen() {
        ForcedWords words = new ForcedWords(SIZE);
        Arena arena = HeapArenas.arena(PLAN, words, filterClock);
        arena.close();

        new ArenaHeader(words).open(7, 8);

        ArenaHeader found = new ArenaHeader(words.afterPowerLoss());
        assertThat(found.get(FilterLayout.CLOSED_AT_WORD)).isEqualTo(FilterLayout.NONE);
        assertThat(found.isOf(7)).isTrue();
        assertThat(found.get(FilterLayout.BOOTED_AT_WORD)).isEqualTo(8);
    }

    @Test
    void isClosedOnTheDiskOnceItIsClosed() {
        ForcedWords words = new ForcedWords(SIZE);
        Arena arena = HeapArenas.arena(PLAN, words, filterClock);
        arena.put(OPERATION, false);

        arena.close();

        Words found = words.afterPowerLoss();
        assertThat(new ArenaHeader(found).get(FilterLayout.CLOSED_AT_WORD)).isEqualTo(clock.millis());
        assertThat(new Arena(PLAN, found, filterClock).mightContain(OPERATION)).isTrue();
    }

    /** A power failure in between may leave any part of it. */
    @Test
    void isClosedOnTheDiskOnlyWhenAllThatWasPutIsThere() {
        ForcedWords words = new ForcedWords(SIZE);
        int[] forces = {0};
        Words view = new WordsView(words) {
            @Override
            public void force() {
                forces[0]++;
                assertThat(new ArenaHeader(words).get(FilterLayout.CLOSED_AT_WORD))
                        .isEqualTo(FilterLayout.NONE);
                super.force();
            }
        };
        HeapArenas.arena(PLAN, view, filterClock).close();

        assertThat(forces[0]).isEqualTo(1);
    }

    /** Else a put could end after the force, and a power failure would take it from a filter that counts as complete. */
    @Test
    void takesNoPutsFromTheForceOn() {
        ForgetfulBloomFilter[] filter = new ForgetfulBloomFilter[1];
        int[] forces = {0};
        Words view = new WordsView(new HeapWords(SIZE)) {
            @Override
            public void force() {
                forces[0]++;
                assertThatIllegalStateException()
                        .isThrownBy(() -> filter[0].put(OPERATION))
                        .withMessageContaining("was closed");
            }
        };
        List<Arena> arenas = List.of(HeapArenas.arena(PLAN, view, filterClock));
        filter[0] = new ForgetfulBloomFilter("views", PLAN, new HeapArenas(), filterClock, arenas);

        filter[0].close();

        assertThat(forces[0]).isEqualTo(1);
    }
}
