package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import ch.qos.logback.classic.Level;
import com.sun.management.ThreadMXBean;
import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter under loads it was not planned for, by simulated time. */
class AdaptiveFilterTest {

    private static final double TARGET = 1e-3;
    private static final double RATE = 1_000;
    private static final Duration WINDOW = Duration.ofSeconds(12);
    private static final FilterSizing SIZING = new FilterSizing(RATE, WINDOW, TARGET);
    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration SHORT_LIFE = WINDOW.dividedBy(4);

    private final HandClock clock = new HandClock();
    private final HeapArenas store = new HeapArenas();
    private AdaptiveFilter filter = open(SIZING.plan());
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
    @ValueSource(doubles = {1.3, 3, 10})
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

    @Test
    void callsInBulkFindWhatIsInAnyArena() {
        OperationId[] ids = LongStream.range(0, 1_000).mapToObj(i -> id(i)).toArray(OperationId[]::new);
        filter.put(ids[0]);
        filter.put(ids[1]);
        filter.growTo(new FilterSizing(2 * RATE, WINDOW, TARGET).plan());
        filter.put(ids[999]);
        filter.put(ids[0]);

        boolean[] found = Batch.each(ids.length, (i, batch) -> batch.add(ids[i].high(), ids[i].low()), filter::find);

        for (int i = 0; i < ids.length; i++) {
            assertThat(found[i]).as("%d", i).isEqualTo(filter.mightContain(ids[i]));
        }
        assertThat(found[0] && found[1] && found[999]).isTrue();
        assertThat(found).contains(false);
    }

    private void putAndCheck(OperationId id, int times) {
        for (int i = 0; i < times; i++) {
            filter.put(id);
            filter.putRequest(id);
            filter.mightContain(id);
        }
    }

    @Test
    void staysUnderTheTargetWhileTheLoadRisesSlowly() {
        for (double rate = RATE; rate < 6 * RATE; rate *= 1.04) {
            load(rate, WINDOW.dividedBy(10));
        }

        assertThat(highestFpp).isLessThan(TARGET);
        assertThat(store.created).hasSizeBetween(3, 9);
    }

    @Tag("slow")
    @Test
    void shrinksToThePlanWhenTheLoadHasSubsided() {
        step = STEP.dividedBy(2);
        load(RATE * 10, WINDOW.multipliedBy(2));
        step = STEP;
        long grown = filter.stats().bytes();
        load(RATE * 0.9, WINDOW.multipliedBy(5));

        assertThat(filter.stats().arenas()).hasSize(1);
        assertThat(filter.stats().bytes()).isLessThan(grown / 2);
        assertThat(filter.plan().bytes()).isLessThan(2 * store.created.get(0).bytes());
        assertThat(highestFpp).isLessThan(TARGET);
        assertThat(store.removed).isEqualTo(store.created.size() - 1);
    }

    @Tag("slow")
    @Test
    void shrinksAlthoughItIsRestartedMoreOftenThanItsWindowPasses() {
        step = STEP.dividedBy(2);
        load(RATE * 10, WINDOW.multipliedBy(2));
        step = STEP;
        long grown = filter.plan().bytes();
        for (Duration past = Duration.ZERO; past.compareTo(WINDOW.multipliedBy(5)) < 0; past = past.plus(SHORT_LIFE)) {
            load(RATE * 0.9, SHORT_LIFE);
            filter = open(SIZING.plan(), filter.arenas());
        }

        assertThat(filter.plan().bytes()).isLessThan(grown / 2);
        assertThat(highestFpp).isLessThan(TARGET);
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
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void goesOnWhenNoThreadStartsAndGrowsWhenOneDoes() {
        AtomicBoolean exhausted = new AtomicBoolean(true);
        filter = withThreads(exhausted);
        load(RATE * 10, WINDOW);
        assertThat(filter.stats().overTarget()).isTrue();

        exhausted.set(false);
        load(RATE * 10, WINDOW.multipliedBy(3));
        assertThat(filter.stats().overTarget()).isFalse();
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void closesAfterAThreadThatDidNotStart() {
        filter = withThreads(new AtomicBoolean(true));
        load(RATE * 10, WINDOW);

        filter.close();
    }

    /** A filter on a system that may have no more threads to give. */
    private AdaptiveFilter withThreads(AtomicBoolean exhausted) {
        return new AdaptiveFilter(
                "views", SIZING.plan(), store, FilterClock.of(clock), List.of(), work -> new Thread(work) {
                    @Override
                    public synchronized void start() {
                        if (exhausted.get()) {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                        super.start();
                    }
                });
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

    @Test
    void reportsThatItIsGrowingUntilTheNextArenaHasTakenOver() {
        CountDownLatch reported = new CountDownLatch(1);
        store.beforeGrowth = () -> await(reported);
        putUntilOverTarget();

        assertThat(warningOfTheNextSample()).contains("more than the stated 1 in 1000: it is growing.");
        assertThat(filter.tooManyFalsePositives()).as("that last").isNull();

        reported.countDown();
        filter.awaitGrowth();
        assertThat(filter.arenas()).hasSize(2);
    }

    @Test
    void reportsThatTheLoadRisesFasterThanItGrows() {
        putUntilOverTarget();
        filter.growTo(SIZING.planArena(2 * RATE, TARGET / 2));

        assertThat(warningOfTheNextSample()).contains("the load rises faster than the filter grows.");
        assertThat(filter.tooManyFalsePositives()).as("that last").isNull();
    }

    /** Not at each sample: an attempt may write gigabytes. */
    @Test
    void reportsWhyItCouldNotGrowAndAttemptsItAgainAfterAPeriod() {
        AtomicInteger attempts = new AtomicInteger();
        store.beforeGrowth = () -> {
            attempts.incrementAndGet();
            throw new IllegalStateException("the disk is gone");
        };
        putUntilOverTarget();
        sampleAfter(STEP);

        sampleAfter(filter.plan().period().minus(STEP));
        assertThat(attempts).hasValue(1);
        assertThat(filter.isOverfull()).isFalse();
        assertThat(filter.tooManyFalsePositives())
                .hasMessageContaining("java.lang.IllegalStateException: the disk is gone.");

        sampleAfter(STEP);
        assertThat(attempts).hasValue(2);
    }

    @ParameterizedTest(name = "{0} bytes short")
    @ValueSource(longs = {0, 1})
    void takesTheRequestedPlanAtTheNextSampleIfItHasRoomForIt(long missing) {
        FilterSizing other = new FilterSizing(2 * RATE, WINDOW, TARGET);
        long room = filter.stats().bytes() + other.plan().bytes();
        filter = open(other.within(room - missing).plan(), filter.arenas());

        sampleAfter(STEP);

        assertThat(filter.arenas()).hasSize(missing == 0 ? 2 : 1);
    }

    /** By so many that it should grow, but is not overfull. */
    private void putUntilOverTarget() {
        while (filter.stats().estimatedFpp() < 5 * TARGET) {
            for (int i = 0; i < 100; i++) {
                filter.put(id(puts++));
            }
        }
    }

    private String warningOfTheNextSample() {
        try (LogOfFilters log = new LogOfFilters()) {
            clock.advance(STEP);
            filter.maintain();
            assertThat(log.messages(Level.WARN)).hasSize(1);
            return log.messages(Level.WARN).get(0);
        }
    }

    private void sampleAfter(Duration time) {
        clock.advance(time);
        filter.maintain();
        filter.awaitGrowth();
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

    @Test
    void isDueForItsNextSampleAndForTheRefreshOfAnArenaWhicheverIsFirst() {
        Duration period = SIZING.plan().period();
        int maintained = 0;
        for (Duration past = Duration.ZERO; past.compareTo(period) < 0; maintained++) {
            Duration due = Duration.ofMillis(filter.millisUntilDue());
            assertThat(due).isPositive();
            clock.advance(due);
            past = past.plus(due);
            assertThat(filter.millisUntilDue()).isLessThanOrEqualTo(0);
            filter.maintain();
        }

        assertThat(maintained).as("samples in a period").isBetween(10, 100);
        assertThat(filter.stats().arenas().get(0).sinceRefresh())
                .as("since the refresh")
                .isLessThan(period.dividedBy(10));
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
    void doesNotTakeWhatItFindsWhenItIsOpenedForAJumpOfTheLoad() {
        load(RATE * 0.9, WINDOW.minus(STEP.multipliedBy(2)));
        filter = new AdaptiveFilter("views", SIZING.plan(), store, FilterClock.of(clock), List.of(filter.newest()));
        load(RATE * 0.9, WINDOW);

        assertThat(store.created).hasSize(1);
    }

    @Test
    void doesNothingButReportWhenItMayNotAdapt() {
        filter = open(SIZING.plan(Rule.SINGLE, 5));
        store.created.clear();
        load(RATE * 3, WINDOW.multipliedBy(2));

        assertThat(store.created).isEmpty();
        assertThat(filter.stats().overTarget()).isTrue();
        assertThat(filter.stats().estimatedFpp()).isCloseTo(counted(), within15Percent());
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
        assertThat(arena.generations().get(0).sealedFor()).isZero();
        assertThat(arena.generations().get(1).sealedFor()).isEqualTo(arena.sinceRefresh());
        assertThat(arena.generations().get(2).sealedFor())
                .isBetween(
                        arena.sinceRefresh().plus(arena.plan().period()),
                        arena.sinceRefresh().plus(arena.plan().period()).plus(STEP));
    }

    @Test
    void saysOnceThatItIsCompleteAgain() {
        filter.newest().noteIncomplete();
        filter = open(SIZING.plan(), filter.arenas());
        try (LogOfFilters log = new LogOfFilters()) {
            clock.advance(filter.plan().window().minusMillis(1));
            filter.maintain();
            assertThat(filter.incompleteFor()).isPositive();
            assertThat(log.messages(Level.INFO)).isEmpty();

            clock.advance(Duration.ofMillis(2));
            filter.maintain();
            filter.maintain();

            assertThat(log.messages(Level.INFO))
                    .singleElement()
                    .asString()
                    .contains("The filter of scope views is complete again");
        }
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

    private AdaptiveFilter open(FilterPlan plan) {
        return open(plan, List.of());
    }

    private AdaptiveFilter open(FilterPlan plan, List<Arena> arenas) {
        return new AdaptiveFilter("views", plan, store, FilterClock.of(clock), arenas);
    }

    private static Percentage within15Percent() {
        return Percentage.withPercentage(15);
    }

    private static OperationId id(long number) {
        return new OperationId(number, 0);
    }
}
