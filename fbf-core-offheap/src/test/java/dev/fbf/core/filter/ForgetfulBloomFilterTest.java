package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter under loads it was not planned for, by simulated time. */
class ForgetfulBloomFilterTest {

    private static final double TARGET = 1e-3;
    private static final double RATE = 1_000;
    private static final Duration WINDOW = Duration.ofSeconds(12);
    private static final FilterSizing SIZING = new FilterSizing(RATE, WINDOW, TARGET);
    private static final Duration STEP = Duration.ofMillis(100);
    private final HandClock clock = new HandClock();
    private final HeapArenas store = new HeapArenas();
    private ForgetfulBloomFilter filter = open(SIZING.plan());
    private Duration step = STEP;
    private double highestFpp;
    private long puts;

    @Test
    void staysAsItIsUnderThePlannedLoad() {
        load(RATE, WINDOW.multipliedBy(3));

        assertThat(store.created).hasSize(1);
        assertThat(highestFpp).isLessThan(TARGET);
    }

    @ParameterizedTest(name = "{0} times the planned load")
    @ValueSource(doubles = {1.3, 10})
    void staysUnderTheTargetHoweverTheLoadGrows(double overload) {
        load(RATE, WINDOW);
        step = STEP.dividedBy(5); // the filter is sampled more often
        load(RATE * overload, WINDOW.dividedBy(4));
        step = STEP;
        load(RATE * overload, WINDOW.multipliedBy(2));

        assertThat(store.created).hasSizeBetween(2, 5);
        assertThat(highestFpp).isLessThan(TARGET);
        assertThat(counted()).isLessThan(TARGET);
        assertThat(filter.stats().overTarget()).isFalse();
    }

    @Test
    void isSampledRarelyWithoutALoadAndOftenWithOne() {
        assertThat(filter.millisUntilDue()).isEqualTo(SIZING.plan().period().toMillis() / 10);

        load(RATE, Duration.ofSeconds(1));

        assertThat(filter.millisUntilDue()).isEqualTo(GrowthDecision.MIN_MILLIS);
    }

    @Test
    void allocatesNothingForAPutOrACheck() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        OperationId id = id(1);
        putAndCheck(id, 1); // loads classes
        long before = threads.getCurrentThreadAllocatedBytes();

        putAndCheck(id, 10_000);

        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .as("bytes of 10,000 of each")
                .isLessThan(10_000);
    }

    private void putAndCheck(OperationId id, int times) {
        for (int i = 0; i < times; i++) {
            filter.put(id);
            filter.mightContain(id);
        }
    }

    @Test
    void forgetsNothingAndReportsTheBreachWhenItMayTakeNoMoreMemory() {
        FilterPlan plan = new FilterSizing(RATE, WINDOW, TARGET, SIZING.plan().bytes() * 3 / 2).plan();
        filter = open(plan);
        store.created.clear();
        long first = puts;
        load(RATE * 10, WINDOW.minus(STEP));

        assertThat(store.created).isEmpty();
        assertThat(filter.stats().bytes()).isEqualTo(plan.bytes());
        assertThat(filter.stats().overTarget()).isTrue();
        assertThat(LongStream.range(first, puts).allMatch(id -> filter.mightContain(id(id))))
                .isTrue();

        load(RATE, WINDOW.multipliedBy(3));
        assertThat(filter.stats().overTarget()).isFalse();
    }

    @Test
    void goesOnWhenThereIsNoRoomToGrowAndGrowsWhenThereIs() {
        store.beforeGrowth = () -> {
            throw new StorageException("The disk is full.", "Free some space.", null);
        };
        load(RATE * 10, WINDOW);
        assertThat(filter.stats().overTarget()).isTrue();

        store.beforeGrowth = () -> {};
        load(RATE * 10, WINDOW.multipliedBy(3));
        assertThat(filter.stats().overTarget()).isFalse();
        assertThat(counted()).isLessThan(TARGET);
    }

    @Test
    void makesTheNextArenaInAThreadOfItsOwnSoThatOtherScopesNeedNotWait() {
        CountDownLatch maintained = new CountDownLatch(1);
        List<Thread> creators = new ArrayList<>();
        store.beforeGrowth = () -> {
            creators.add(Thread.currentThread());
            await(maintained);
        };
        putTooMany();
        filter.maintain();
        maintained.countDown();
        filter.awaitGrowth();

        assertThat(creators).hasSize(1).doesNotContain(Thread.currentThread());
        assertThat(filter.arenas()).hasSize(2).startsWith(filter.newest());
        assertThat(LongStream.range(0, puts).allMatch(id -> filter.mightContain(id(id))))
                .isTrue();
    }

    @Test
    void interruptsItsGrowthWhenItIsClosedAndRemovesTheArenaThatCameOfIt() throws InterruptedException {
        CountDownLatch growing = new CountDownLatch(1);
        Thread closing = Thread.currentThread();
        AtomicBoolean closedBefore = new AtomicBoolean();
        store.beforeGrowth = () -> {
            growing.countDown();
            awaitInterrupt();
            while (closing.getState() != Thread.State.WAITING && !store.closed) {
                Thread.onSpinWait();
            }
            closedBefore.set(store.closed);
        };
        putTooMany();
        filter.maintain();
        assertThat(growing.await(5, TimeUnit.SECONDS)).isTrue();

        filter.close();

        assertThat(store.removed).isEqualTo(1);
        assertThat(closedBefore).as("closed while it grew").isFalse();
        assertThat(filter.arenas()).as("a closed filter has none").isEmpty();
        assertThat(store.closed).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> filter.put(id(1)));
    }

    /** At one time. */
    private void putTooMany() {
        for (; puts < 2 * RATE; puts++) {
            filter.put(id(puts));
        }
        clock.advance(STEP);
    }

    private static void awaitInterrupt() {
        try {
            TimeUnit.SECONDS.sleep(5);
            throw new StorageException("The growth was not interrupted.", "", null);
        } catch (InterruptedException e) {
            // the arena is made all the same
        }
    }

    /** Has a timeout: a refresh that made the arena itself would wait for itself. */
    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(5, TimeUnit.SECONDS)) {
                throw new StorageException("The refresh waits for the new arena.", "", null);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void estimatesWhatItHolds() {
        load(RATE, WINDOW.multipliedBy(3));

        FilterStats stats = filter.stats();
        ArenaStats arena = stats.arenas().get(0);
        double held = RATE * (WINDOW.toSeconds() + arena.sinceRefresh().toMillis() / 1000.0);
        assertThat((double) stats.approximateElementCount()).isCloseTo(held, within15Percent());
        assertThat(stats.estimatedFpp()).isCloseTo(counted(), within15Percent());
        assertThat(arena.generations()).hasSize(arena.plan().liveGenerations());
    }

    /** Puts at a steady rate, maintains, and notes the highest false positive probability. */
    private void load(double rate, Duration duration) {
        for (Duration done = Duration.ZERO; done.compareTo(duration) < 0; done = done.plus(step)) {
            for (double left = rate * step.toMillis() / 1000; left >= 1; left--) {
                filter.put(id(puts++));
            }
            clock.advance(step);
            if (done.toMillis() % (4 * STEP.toMillis()) == 0) {
                highestFpp = Math.max(highestFpp, filter.stats().estimatedFpp());
            }
            filter.maintain();
            filter.awaitGrowth();
        }
    }

    private double counted() {
        int absent = 2_000_000;
        return (double) LongStream.rangeClosed(1, absent)
                        .parallel()
                        .filter(id -> filter.mightContain(id(-id)))
                        .count()
                / absent;
    }

    private ForgetfulBloomFilter open(FilterPlan plan) {
        return open(plan, List.of());
    }

    private ForgetfulBloomFilter open(FilterPlan plan, List<Arena> arenas) {
        return new ForgetfulBloomFilter("views", plan, store, FilterClock.of(clock), arenas);
    }

    private static Percentage within15Percent() {
        return Percentage.withPercentage(15);
    }

    private static OperationId id(long number) {
        return new OperationId(number, 0);
    }
}
