package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.Threads;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter's contract, by any rule and on any kind of {@link Words}. */
abstract class ForgetfulBloomFilterContract {

    private static final Duration PERIOD = Duration.ofMillis(100);
    private static final int STEPS_IN_A_PERIOD = 4;
    private static final int WRITERS = 3;

    /** How many of its last puts each writer shows to the others. */
    private static final int LATEST = 16;

    final HandClock clock = new HandClock();

    /** Words that are all zero. */
    abstract Words words(long size) throws Exception;

    abstract Rule rule();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void remembersForNPlusOnePeriodsAndForgetsAfterNPlusTwo(int past) throws Exception {
        Arena filter = filter(1_000, PERIOD.multipliedBy(past + 1L), 1e-9, past);
        List<Instant> putAt = new ArrayList<>();

        for (int step = 0; step < STEPS_IN_A_PERIOD * 3 * (past + 3); step++) {
            put(filter, putAt); // right after a refresh
            checkAges(filter, putAt, past);
            clock.advance(PERIOD.dividedBy(STEPS_IN_A_PERIOD));
            checkAges(filter, putAt, past);
            put(filter, putAt); // right before a refresh
            filter.refreshIfDue();
        }
    }

    private void put(Arena filter, List<Instant> putAt) {
        filter.put(id(putAt.size()));
        putAt.add(clock.instant());
    }

    private void checkAges(Arena filter, List<Instant> putAt, int past) {
        for (int i = 0; i < putAt.size(); i++) {
            Duration age = Duration.between(putAt.get(i), clock.instant());
            boolean found = filter.mightContain(id(i));
            if (age.compareTo(PERIOD.multipliedBy(past + 1L)) < 0) {
                assertThat(found).as("N=%d, %s old", past, age).isTrue();
            } else if (age.compareTo(PERIOD.multipliedBy(past + 2L)) > 0) {
                assertThat(found).as("N=%d, %s old", past, age).isFalse();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void aLateRefreshDelaysAndNeverShortensMemory(int past) throws Exception {
        Duration window = PERIOD.multipliedBy(past + 1L);
        Arena filter = filter(1_000, window, 1e-9, past);
        clock.advance(PERIOD.multipliedBy(3)); // the refresher sleeps through two refreshes
        filter.put(id(1));
        Instant put = clock.instant();

        while (Duration.between(put, clock.instant()).compareTo(window) < 0) {
            filter.refreshIfDue();
            assertThat(filter.mightContain(id(1)))
                    .as("%s old", Duration.between(put, clock.instant()))
                    .isTrue();
            clock.advance(PERIOD.dividedBy(STEPS_IN_A_PERIOD));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void whatIsRestoredIsRememberedAsIfItHadBeenPutAtItsTime(int past) throws Exception {
        Arena filter = filter(1_000, PERIOD.multipliedBy(past + 1L), 1e-9, past);
        FilterClock filterClock = FilterClock.of(clock);
        Duration step = PERIOD.dividedBy(STEPS_IN_A_PERIOD);
        List<Long> putAt = new ArrayList<>();
        clock.advance(Duration.ofMillis(10)); // refreshes are late
        while (putAt.size() < STEPS_IN_A_PERIOD * (past + 1) - 1) {
            filter.put(id(putAt.size()));
            putAt.add(filterClock.millis());
            clock.advance(step);
            filter.refreshIfDue();
        }

        for (int i = 0; i < putAt.size(); i++) {
            filter.restore(id(-1 - i), null, putAt.get(i));
        }

        for (int steps = 0; steps < STEPS_IN_A_PERIOD * (past + 3); steps++) {
            for (int i = 0; i < putAt.size(); i++) {
                assertThat(filter.mightContain(id(-1 - i)))
                        .as("N=%d, number %d, %d steps later", past, i, steps)
                        .isEqualTo(filter.mightContain(id(i)));
            }
            clock.advance(step);
            filter.refreshIfDue();
        }
        assertThat(filter.mightContain(id(-1))).isFalse();
    }

    @Test
    void whatNeedNotBeRememberedIsNotRestored() throws Exception {
        Arena filter = filter(1_000, PERIOD.multipliedBy(3), 1e-9, 2);
        long aWindowAgo =
                FilterClock.of(clock).millis() - PERIOD.multipliedBy(3).toMillis();

        filter.restore(id(1), null, aWindowAgo);
        filter.restore(id(2), null, aWindowAgo + 1);

        assertThat(filter.mightContain(id(1))).isFalse();
        assertThat(filter.mightContain(id(2))).isTrue();
    }

    @Test
    void isNotRefreshedBeforeAPeriodIsOver() throws Exception {
        Arena filter = filter(1_000, PERIOD.multipliedBy(3), 1e-9, 2);

        assertThat(filter.millisUntilDue()).isEqualTo(PERIOD.toMillis());
        clock.advance(PERIOD.minusMillis(1));
        assertThat(filter.refreshIfDue()).isFalse();
        clock.advance(Duration.ofMillis(1));
        assertThat(filter.millisUntilDue()).isZero();
        assertThat(filter.refreshIfDue()).isTrue();
        assertThat(filter.refreshIfDue()).isFalse();
    }

    @Test
    void losesNothingWhileManyThreadsPutAndGenerationsRotate() throws Exception {
        int past = 2;
        Duration window = PERIOD.multipliedBy(past + 1L);
        Arena filter = filter(1_000, window, 1e-6, past);
        AtomicReferenceArray<@Nullable Put> latest = new AtomicReferenceArray<>(WRITERS * LATEST);
        AtomicInteger writing = new AtomicInteger(WRITERS);
        AtomicLong checked = new AtomicLong();
        Threads.run(WRITERS + 1, thread -> {
            if (thread == WRITERS) {
                while (writing.get() > 0) {
                    clock.advance(PERIOD);
                    filter.refreshIfDue();
                }
                return;
            }
            try {
                checked.addAndGet(putAndCheck(filter, thread, latest, window));
            } finally {
                writing.decrementAndGet();
            }
        });
        assertThat(checked).hasValueGreaterThan(10_000);
    }

    private record Put(OperationId id, Instant before) {}

    /**
     * Puts operations, and looks up its own and those that the others have put since, while they must still be there. Returns
     * how many look-ups counted.
     */
    private long putAndCheck(Arena filter, int writer, AtomicReferenceArray<@Nullable Put> latest, Duration window) {
        long checked = 0;
        for (int i = 0; i < 30_000; i++) {
            // read before and after, so that a thread that is held up in between only makes the operation look older
            Put mine = new Put(id(writer * 1_000_000_000L + i), clock.instant());
            filter.put(mine.id);
            latest.set(writer * LATEST + i % LATEST, mine);
            for (int other = 0; other < WRITERS; other++) {
                Put put = other == writer ? mine : latest.get(other * LATEST + i * 7 % LATEST);
                if (put == null) {
                    continue;
                }
                boolean found = filter.mightContain(put.id);
                if (Duration.between(put.before, clock.instant()).compareTo(window) < 0) {
                    checked++;
                    assertThat(found)
                            .as("put by %d, looked up by %d: %s", other, writer, put)
                            .isTrue();
                }
            }
        }
        return checked;
    }

    private Arena filter(double rate, Duration window, double probability, int past) throws Exception {
        FilterPlan plan = new FilterSizing(rate, window, probability).plan(rule(), past);
        Words words = words(plan.bytes() / Long.BYTES);
        Arena.initialize(plan, words, FilterClock.of(clock), ProbeHash.randomSecret());
        // always the same positions, so that the count does not depend on chance
        HeapArenas.fixSecret(words);
        return new Arena(plan, words, FilterClock.of(clock));
    }

    private static OperationId id(long number) {
        return new OperationId(number, 0);
    }
}
