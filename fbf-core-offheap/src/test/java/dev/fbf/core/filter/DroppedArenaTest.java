package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An arena that is no longer checked: its file is removed at once, and unmapped once no reader can still be in the middle of a check. */
class DroppedArenaTest {

    private static final FilterPlan PLAN = plan(10);
    private static final FilterPlan LARGER = plan(500).partOf(PLAN.stated(), false);
    private static final Duration MILLISECOND = Duration.ofMillis(1);

    private final HandClock clock = new HandClock();
    private final HeapArenas store = new HeapArenas();

    /** Does not grow by itself. */
    private static FilterPlan plan(double rate) {
        return new FilterSizing(rate, Duration.ofSeconds(50), 1e-9).plan(Rule.SINGLE, 1);
    }

    @Test
    void isRemovedAfterAWindowAndUnmappedAfterAnotherOne() {
        ForgetfulBloomFilter filter = filter();
        filter.put(new OperationId(1, 2));
        filter.growTo(LARGER);
        advance(filter, PLAN.window().minus(MILLISECOND));
        assertThat(store.removed).isZero();
        advance(filter, MILLISECOND.multipliedBy(2)); // times are rounded up to milliseconds
        assertThat(store.removed).isEqualTo(1);
        assertThat(filter.stats().bytes()).isEqualTo(LARGER.bytes());

        advance(filter, PLAN.window().minus(MILLISECOND.multipliedBy(2)));
        assertThat(store.unmapped).as("within another window").isZero();
        advance(filter, MILLISECOND.multipliedBy(2));

        assertThat(store.unmapped).isEqualTo(1);
    }

    /** Its file is unmapped when it is collected. */
    @Test
    void isNotKeptByAFilterThatIsClosed() {
        ForgetfulBloomFilter filter = filter();
        WeakReference<Arena> first = new WeakReference<>(filter.newest());
        filter.growTo(LARGER);
        advance(filter, PLAN.window());

        filter.close();
        System.gc();

        assertThat(first.refersTo(null)).isTrue();
        assertThat(filter.arenas()).isEmpty();
    }

    /** When the smaller arena's file is gone, the larger one's alone shows that the directory is not older. */
    @Test
    void leavesTheBeatToTheArenaThatTakesOver() {
        ForgetfulBloomFilter filter = filter();
        filter.confirm(7);
        filter.intend(8);

        filter.growTo(LARGER);
        advance(filter, PLAN.window().plus(MILLISECOND));

        assertThat(filter.beats()).containsExactly(new FileBeat(8, 7));
    }

    private void advance(ForgetfulBloomFilter filter, Duration time) {
        clock.advance(time);
        filter.maintain();
    }

    private ForgetfulBloomFilter filter() {
        return new ForgetfulBloomFilter("views", PLAN, store, FilterClock.of(clock), List.of());
    }
}
