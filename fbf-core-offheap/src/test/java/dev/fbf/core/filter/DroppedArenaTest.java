package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An arena that is no longer checked: its file is removed at once, and unmapped once no reader can still be in the middle of a check. */
class DroppedArenaTest {

    private static final FilterPlan PLAN = plan(10);
    private static final FilterPlan LARGER = plan(500).partOf(PLAN.stated(), false);
    private static final Duration MILLISECOND = Duration.ofMillis(1);

    private final HandClock clock = new HandClock();
    private final List<Unmappable> made = new ArrayList<>();
    private int removed;

    /** Does not grow by itself. */
    private static FilterPlan plan(double rate) {
        return new FilterSizing(rate, Duration.ofSeconds(50), 1e-9).plan(Rule.SINGLE, 1);
    }

    @Test
    void isRemovedAfterAWindowAndUnmappedAfterAnotherOne() {
        AdaptiveFilter filter = filter();
        filter.put(new OperationId(1, 2));
        filter.growTo(LARGER);
        advance(filter, PLAN.window().minus(MILLISECOND));
        assertThat(removed).isZero();
        advance(filter, MILLISECOND.multipliedBy(2)); // times are rounded up to milliseconds
        assertThat(removed).isEqualTo(1);
        assertThat(filter.stats().bytes()).isEqualTo(LARGER.bytes());

        advance(filter, PLAN.window().minus(MILLISECOND.multipliedBy(2)));
        assertThat(made.get(0).unmapped).as("within another window").isFalse();
        advance(filter, MILLISECOND.multipliedBy(2));

        assertThat(made).extracting(words -> words.unmapped).containsExactly(true, false);
    }

    /** Its file is unmapped when it is collected. */
    @Test
    void isNotKeptByAFilterThatIsClosed() {
        AdaptiveFilter filter = filter();
        WeakReference<Arena> first = new WeakReference<>(filter.newest());
        filter.growTo(LARGER);
        advance(filter, PLAN.window());

        filter.close();
        System.gc();

        assertThat(first.refersTo(null)).isTrue();
        assertThat(filter.arenas()).isEmpty();
    }

    private void advance(AdaptiveFilter filter, Duration time) {
        clock.advance(time);
        filter.maintain();
    }

    private AdaptiveFilter filter() {
        ArenaStore store = new ArenaStore() {
            @Override
            public Arena create(FilterPlan plan, FilterClock time) {
                Words words = new HeapWords(plan.bytes() / Long.BYTES);
                Arena.initialize(plan, words, time, ProbeHash.randomSecret());
                Unmappable unmappable = new Unmappable(words);
                made.add(unmappable);
                return new Arena(plan, unmappable, time);
            }

            @Override
            public void remove(Arena arena) {
                removed++;
            }
        };
        return new AdaptiveFilter("views", PLAN, store, FilterClock.of(clock), List.of());
    }

    /** Words that note whether they were unmapped. */
    private static final class Unmappable extends WordsView {

        private boolean unmapped;

        Unmappable(Words words) {
            super(words);
        }

        @Override
        public void unmap() {
            unmapped = true;
        }
    }
}
