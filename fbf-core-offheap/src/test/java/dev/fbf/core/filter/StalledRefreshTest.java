package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A refresher that is held up for periods on end just before it publishes the next generation. */
class StalledRefreshTest {

    private static final Duration WINDOW = Duration.ofMillis(600);

    private final HandClock clock = new HandClock();

    @Test
    void countsThePeriodFromWhenItWasDoneSoThatAPutMeanwhileIsRememberedForAWholeWindow() {
        FilterPlan plan = new FilterSizing(10, WINDOW, 1e-9).plan(Rule.SINGLE, 2);
        OperationId meanwhile = new OperationId(1, 2);
        StallingWords words = new StallingWords(plan.bytes() / Long.BYTES);
        Arena.initialize(plan, words, FilterClock.of(clock), ProbeHash.randomSecret());
        Arena filter = new Arena(plan, words, FilterClock.of(clock));
        words.beforePublishing = () -> {
            clock.advance(plan.period().multipliedBy(5));
            filter.put(meanwhile);
        };
        clock.advance(plan.period());

        assertThat(filter.refreshIfDue()).isTrue();

        assertThat(filter.refreshIfDue()).isFalse();
        assertThat(filter.millisUntilDue()).isEqualTo(plan.period().toMillis());
        for (int step = 1; step < 12; step++) {
            clock.advance(WINDOW.dividedBy(12));
            filter.refreshIfDue();
            assertThat(filter.mightContain(meanwhile)).as("step %d of 12", step).isTrue();
        }
    }

    @Test
    void tellsHowLateItIsAndWasUntilTheNextRefreshIsInTime() {
        FilterPlan plan = new FilterSizing(10, WINDOW, 1e-9).plan(Rule.SINGLE, 2);
        Words words = new HeapWords(plan.bytes() / Long.BYTES);
        Arena.initialize(plan, words, FilterClock.of(clock), ProbeHash.randomSecret());
        clock.advance(plan.period().multipliedBy(9)); // no process had it open
        Arena filter = new Arena(plan, words, FilterClock.of(clock));
        filter.refreshIfDue();
        assertThat(filter.stats().refreshDelay()).isZero();

        clock.advance(plan.period().plusMillis(30));
        assertThat(filter.stats().refreshDelay()).isEqualTo(Duration.ofMillis(30));
        filter.refreshIfDue();
        assertThat(filter.stats().refreshDelay()).isEqualTo(Duration.ofMillis(30));

        clock.advance(plan.period());
        filter.refreshIfDue();
        assertThat(filter.stats().refreshDelay()).isZero();
    }

    /** Does something just before the state is changed for the first time. */
    private static final class StallingWords extends WordsView {

        private Runnable beforePublishing = () -> {};

        StallingWords(long size) {
            super(new HeapWords(size));
        }

        @Override
        public boolean compareAndSet(long index, long expected, long value) {
            if (index == FilterLayout.STATE_WORD) {
                Runnable once = beforePublishing;
                beforePublishing = () -> {};
                once.run();
            }
            return super.compareAndSet(index, expected, value);
        }
    }
}
